package dev.mooring.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1023, 1023",
        "1024, 1Ki",
        "1536, 1.5Ki",
        "536870912, 512Mi",
        "1073741824, 1Gi",
        "1610612736, 1.5Gi",
        "1073741823, 1Gi",
        "10522669875, 9.8Gi",
        "107374182400, 100Gi",
        "9223372036854775807, 8Ei"
    })
    void byteText_usesLargestUnitAndAtMostOneDecimal(long bytes, String text) {
        assertThat(ByteText.of(bytes)).isEqualTo(text);
    }
}
