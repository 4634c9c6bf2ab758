package dev.mooring.api.decode;

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
    void takesWhatJavaEncodes(@ForAll byte[] bytes) {
        String encoded = Base64.getEncoder().encodeToString(bytes);

        assertThat(Base64Text.stored(encoded)).isEqualTo(encoded);
    }

    @Test
    void dropsLineBreaks() {
        assertThat(Base64Text.stored("aGVs\nbG8=\r\n")).isEqualTo("aGVsbG8=");
        assertThat(Base64Text.stored("aGVsbA=\n=")).isEqualTo("aGVsbA==");
    }

    /** Offsets as Go gives them. */
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
    void saysWhereItIsWrong(String text, int offset) {
        assertThatThrownBy(() -> Base64Text.stored(text))
                .isInstanceOf(BodyException.class)
                .hasMessage("illegal base64 data at input byte " + offset);
    }
}
