package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        # written               | canonical             | whole, rounded up
        0                       | 0                     | 0
        -0                      | 0                     | 0
        0Gi                     | 0                     | 0
        007                     | 7                     | 7
        .5                      | 500m                  | 1
        5.                      | 5                     | 5
        1Gi                     | 1Gi                   | 1073741824
        1024Mi                  | 1Gi                   | 1073741824
        1.5Gi                   | 1536Mi                | 1610612736
        1023Ki                  | 1023Ki                | 1047552
        0.5Ki                   | 512                   | 512
        1000Ki                  | 1000Ki                | 1024000
        1e3                     | 1e3                   | 1000
        1E3                     | 1e3                   | 1000
        12e-1                   | 1200e-3               | 2
        1E                      | 1E                    | 1000000000000000000
        1Ei                     | 1Ei                   | 1152921504606846976
        100Ei                   | 9223372036854775807   | 9223372036854775807
        100E                    | 100E                  | 9223372036854775807
        1000E                   | 1000E                 | 9223372036854775807
        -100E                   | -100E                 | -9223372036854775808
        2000                    | 2k                    | 2000
        2500                    | 2500                  | 2500
        1.5                     | 1500m                 | 2
        -1.5                    | -1500m                | -1
        100m                    | 100m                  | 1
        1000m                   | 1                     | 1
        0.1n                    | 1n                    | 1
        -0.1n                   | -1n                   | 0
        1u                      | 1u                    | 1
        5k                      | 5k                    | 5000
        +3M                     | 3M                    | 3000000
        3.0T                    | 3T                    | 3000000000000
        7P                      | 7P                    | 7000000000000000
        1.0000001Ki             | 1024000102400n        | 1025
        12345678901234567890123 | 12345678901234567890123 | 9223372036854775807
        """)
    void quantity_parsed_isPrintedAndRoundedLikeInKubernetes(String written, String canonical, long whole) {
        assertThat(Quantity.parse(written).canonical()).isEqualTo(canonical);
        assertThat(Quantity.parse(written).toString()).isEqualTo(canonical);
        assertThat(Quantity.parse(written).value()).isEqualTo(whole);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "1 Gi", " 1", "lots", "1.2.3", "1Gi3x", "1,5", "1Z", "1e3e!", "1_000", "0x10"})
    void quantity_notANumber_isRejected(String text) {
        assertThatThrownBy(() -> Quantity.parse(text))
                .isInstanceOf(Quantity.MalformedException.class)
                .hasMessage(
                        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1i",
                "1ki",
                "1mi",
                "1K",
                "1Kii",
                "1e",
                "1e-",
                "1E+",
                "1Gi3",
                "1n5",
                "1-5",
                "1ee3",
                "1e2001",
                "1e-2001",
                "1e99999999999",
                "1GG",
                "--1"
            })
    void quantity_unknownSuffix_isRejected(String text) {
        assertThatThrownBy(() -> Quantity.parse(text)).hasMessage("unable to parse quantity's suffix");
    }

    @Test
    void quantity_tooManyDigits_isRejected() {
        assertThatThrownBy(() -> Quantity.parse("1".repeat(1025))).hasMessageStartingWith("quantities must match");
    }

    @Test
    void quantity_milliValue_isRoundedUpAndCapped() {
        assertThat(Quantity.parse("0.1").milliValue()).isEqualTo(100);
        assertThat(Quantity.parse("1u").milliValue()).isEqualTo(1);
        assertThat(Quantity.parse("1E").milliValue()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void quantity_sameValueInOtherUnits_isEqual() {
        assertThat(Quantity.parse("1Gi"))
                .isEqualTo(Quantity.parse("1024Mi"))
                .isEqualTo(Quantity.parse("1073741824"))
                .isNotEqualTo(Quantity.parse("1G"));
        assertThat(Quantity.parse("1Gi")).isGreaterThan(Quantity.parse("1G"));
    }
}
