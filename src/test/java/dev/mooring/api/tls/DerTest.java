package dev.mooring.api.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DerTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0400",
        "1, 0401",
        "127, 047f",
        "128, 048180",
        "255, 0481ff",
        "256, 04820100",
        "65535, 0482ffff",
        "65536, 0483010000",
        "16777216, 048401000000"
    })
    void octets_anyLength_usesShortestLengthEncoding(int length, String header) {
        byte[] content = new byte[length];
        Arrays.fill(content, (byte) 0x5a);
        byte[] written = Der.octets(content);

        int headerLength = header.length() / 2;
        assertThat(hex(Arrays.copyOf(written, headerLength))).isEqualTo(header);
        assertThat(Arrays.copyOfRange(written, headerLength, written.length)).isEqualTo(content);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 020100",
        "1, 020101",
        "127, 02017f",
        "128, 02020080",
        "255, 020200ff",
        "256, 02020100",
        "32767, 02027fff",
        "32768, 0203008000",
        "-1, 0201ff",
        "-128, 020180",
        "-129, 0202ff7f",
        "-32768, 02028000",
        "170141183460469231731687303715884105728, 02110080000000000000000000000000000000" // 2^127
    })
    void integer_padsOnlyForSign(BigInteger value, String expected) {
        assertThat(hex(Der.integer(value))).isEqualTo(expected);
        if (value.bitLength() < Long.SIZE) {
            assertThat(hex(Der.integer(value.longValueExact()))).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.0, 060100",
        "1.39, 06014f",
        "2.5.29.17, 0603551d11",
        "2.47, 06017f",
        "2.48, 06028100",
        "2.999.3, 0603883703",
        "1.2.840.113549, 06062a864886f70d",
        "1.2.840.10045.4.3.2, 06082a8648ce3d040302",
        "1.2.127.128.16383.16384, 06092a7f8100ff7f818000",
        "1.2.4294967295, 06062a8fffffff7f",
        "1.2.9223372036854775807, 060a2affffffffffffffff7f"
    })
    void oid_dottedText_isEncoded(String dotted, String expected) {
        assertThat(hex(Der.oid(dotted))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "3.1", "0.40", "1.40", "1.2.", "1..2", "1.-2", "1.2.x", "1.2.9223372036854775808"})
    void oid_invalidText_throws(String dotted) {
        assertThatThrownBy(() -> Der.oid(dotted)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "1949-12-31T23:59:59Z, 24, 19491231235959Z",
        "1950-01-01T00:00:00Z, 23, 500101000000Z",
        "1999-12-31T23:59:59Z, 23, 991231235959Z",
        "2000-02-29T01:02:03Z, 23, 000229010203Z",
        "2049-12-31T23:59:59.999Z, 23, 491231235959Z",
        "2050-01-01T00:00:00Z, 24, 20500101000000Z",
        "0000-01-01T00:00:00Z, 24, 00000101000000Z",
        "9999-12-31T23:59:59Z, 24, 99991231235959Z"
    })
    void time_from1950To2049_usesTwoDigitYear(Instant time, int tag, String text) {
        byte[] written = Der.time(time);

        assertThat(written[0]).isEqualTo((byte) tag);
        assertThat(written[1]).isEqualTo((byte) text.length());
        assertThat(new String(written, 2, written.length - 2, StandardCharsets.US_ASCII))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-0001-12-31T23:59:59Z", "+10000-01-01T00:00:00Z"})
    void time_yearOutOfRange_throws(Instant time) {
        assertThatThrownBy(() -> Der.time(time)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void boolAndUtf8_areEncoded() {
        assertThat(hex(Der.bool(true))).isEqualTo("0101ff");
        assertThat(hex(Der.bool(false))).isEqualTo("010100");
        assertThat(hex(Der.utf8("aé"))).isEqualTo("0c0361c3a9");
    }

    @Test
    void bits_countUnusedBits() {
        assertThat(hex(Der.bits())).isEqualTo("030100");
        assertThat(hex(Der.bits((byte) 1, (byte) 2))).isEqualTo("0303000102");
        assertThat(hex(Der.namedBits())).isEqualTo("030100");
        assertThat(hex(Der.namedBits(0))).isEqualTo("03020780");
        assertThat(hex(Der.namedBits(6, 5))).isEqualTo("03020106");
        assertThat(hex(Der.namedBits(7))).isEqualTo("03020001");
        assertThat(hex(Der.namedBits(0, 8))).isEqualTo("0303078080");
    }

    @Test
    void sequence_keepsOrder_setIsSorted() {
        byte[] negative = Der.integer(-1); // ends in ff: unsigned, it comes last
        byte[] one = Der.integer(1);
        byte[] yes = Der.bool(true);

        assertThat(hex(Der.sequence())).isEqualTo("3000");
        assertThat(hex(Der.sequence(negative, one, yes))).isEqualTo("30090201ff0201010101ff");
        assertThat(hex(Der.set())).isEqualTo("3100");
        assertThat(hex(Der.set(negative, one, yes))).isEqualTo("31090101ff0201010201ff");
    }

    @Test
    void contextTags_areEncodedUpToThirty() {
        assertThat(hex(Der.explicit(0, Der.integer(2)))).isEqualTo("a003020102");
        assertThat(hex(Der.explicit(3, Der.sequence()))).isEqualTo("a3023000");
        assertThat(hex(Der.implicit(2, new byte[] {'a', 'b'}))).isEqualTo("82026162");
        assertThat(hex(Der.implicit(30, new byte[0]))).isEqualTo("9e00");
        assertThatThrownBy(() -> Der.implicit(31, new byte[0])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Der.explicit(-1, new byte[0])).isInstanceOf(IllegalArgumentException.class);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
