package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class DigestsTest {
    /** The example of FIPS 180-2. */
    private static final String ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    @Test
    void sha256_example_isThatOfTheStandard() {
        byte[] abc = "abc".getBytes(StandardCharsets.US_ASCII);

        assertThat(Digests.sha256Hex("abc")).isEqualTo(ABC);
        assertThat(Digests.sha256Hex(abc)).isEqualTo(ABC);
        assertThat(Digests.sha256("abc")).isEqualTo(HexFormat.of().parseHex(ABC));
        assertThat(Digests.newSha256().digest(abc)).isEqualTo(Digests.sha256(abc));
        assertThat(Digests.sha256Hex("abc", 4)).isEqualTo("ba7816bf");
    }

    @Test
    void sha256_text_isHashedAsUtf8() {
        assertThat(Digests.sha256("ü€")).isEqualTo(Digests.sha256("ü€".getBytes(StandardCharsets.UTF_8)));
    }
}
