package dev.mooring.control.attach;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.model.view.CsiNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CsiNamesTest {
    /** printf 'h1block.mooring.devn1' | sha256sum */
    private static final String H1_ON_N1 = "csi-0e998c4e24e712fc85e513f0bcf429d64b08f05d607d026fb5059fa39b3aea45";

    @Test
    void attachmentName_isHashOfHandleDriverAndNode() {
        assertThat(CsiNames.attachment("block.mooring.dev", "h1", "n1")).isEqualTo(H1_ON_N1);
    }

    @Test
    void attachmentName_uniqueVolumeName_isFoundForCsiVolumesOnly() {
        assertThat(CsiNames.uniqueVolumeName("block.mooring.dev", "h1"))
                .isEqualTo("kubernetes.io/csi/block.mooring.dev^h1");
        assertThat(CsiNames.attachment("kubernetes.io/csi/block.mooring.dev^h1", "n1"))
                .contains(H1_ON_N1);
        assertThat(CsiNames.attachment("kubernetes.io/csi/d^a^b", "n1"))
                .contains(CsiNames.attachment("d", "a^b", "n1"));
        assertThat(CsiNames.attachment("kubernetes.io/aws-ebs/vol-1", "n1")).isEmpty();
        assertThat(CsiNames.attachment("kubernetes.io/csi/odd", "n1")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        H1_ON_N1 + ", true",
        "csi-, false",
        "csi-mine, false",
        "pv-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, false",
        "csi-z3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855, false",
    })
    void attachmentName_isRecognizedByItsPattern(String name, boolean own) {
        assertThat(CsiNames.isAttachment(name)).isEqualTo(own);
    }
}
