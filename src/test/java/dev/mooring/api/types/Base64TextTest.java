package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Base64TextTest {

    @Property
    void normalize_encodedBytes_isUnchanged(@ForAll byte[] bytes) {
        String encoded = Base64.getEncoder().encodeToString(bytes);

        assertThat(Base64Text.normalize(encoded)).isEqualTo(encoded);
    }

    @Test
    void normalize_lineBreaks_areRemoved() {
        assertThat(Base64Text.normalize("aGVs\nbG8=\r\n")).isEqualTo("aGVsbG8=");
        assertThat(Base64Text.normalize("aGVsbA=\n=")).isEqualTo("aGVsbA==");
    }

    /** The offsets are those of Go. */
    @ParameterizedTest
    @CsvSource({
        "a!b=, 1",
        "a, 0",
        "ab, 0",
        "abc, 0",
        "abcda, 4",
        "abcdab, 4",
        "=, 0",
        "a===, 1",
        "ab=, 3",
        "ab=c, 2",
        "ab==c, 4",
        "abc=d, 4",
        "hello world, 5",
        "a-_b, 1"
    })
    void normalize_invalidText_throwsWithOffset(String text, int offset) {
        assertThatThrownBy(() -> Base64Text.normalize(text))
                .isInstanceOf(BodyException.class)
                .hasMessage("illegal base64 data at input byte " + offset);
    }
}
