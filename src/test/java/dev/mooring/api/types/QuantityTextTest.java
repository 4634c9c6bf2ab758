package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantityTextTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "1Gi, 1Gi",
        "10Gi, 10Gi",
        "8Gi, 8Gi",
        "1024Mi, 1Gi",
        "1025Mi, 1025Mi",
        "2048Mi, 2Gi",
        "1.5Gi, 1536Mi",
        "0.5Gi, 512Mi",
        "1.5Ki, 1536",
        "0.5Ki, 512",
        "0.1Ki, 102400m",
        "512Ki, 512Ki",
        "1000Mi, 1000Mi",
        "1024Ei, 9223372036854775807",
        "100, 100",
        "1000, 1k",
        "1500, 1500",
        "1000000, 1M",
        "1.5, 1500m",
        "1.500, 1.500",
        "0.5, 500m",
        ".5, 500m",
        "5., 5.",
        "1000m, 1",
        "500m, 500m",
        "100000m, 100",
        "0.0000000001, 1n",
        "1n, 1n",
        "-1000m, -1",
        "-0.1n, -1n",
        "+5, +5",
        "+1000, 1k",
        "007Gi, 007Gi",
        "00, 0",
        "0Gi, 0",
        "1e3, 1e3",
        "1E3, 1E3",
        "1000e3, 1e6",
        "1e2, 100",
        "12e-1, 1200e-3",
        "5E, 5E",
        "1000E, 1000E",
        "99999999999999999999, 99999999999999999999",
        "' 1Gi ', 1Gi",
        "Gi, 0",
    })
    void normalize_quantity_matchesKubernetes(String written, String stored) {
        assertThat(QuantityText.normalize(written)).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource({
        "''", "lots", "1 Gi", "1Gib", "--1x", "1.2.3", "0x10", "1Gi!", "１", "1-2-3", "true",
    })
    void normalize_notAQuantity_throws(String written) {
        assertThatThrownBy(() -> QuantityText.normalize(written))
                .isInstanceOf(BodyException.class)
                .hasMessage(
                        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }

    @ParameterizedTest
    @CsvSource({"1K", "1mi", "1i", "1GiGi", "1e", "1ee5", "1M5", "1e99999999999", "1e100000000", "1ni", "1+3", "--1"})
    void normalize_unknownSuffix_throws(String written) {
        assertThatThrownBy(() -> QuantityText.normalize(written))
                .isInstanceOf(BodyException.class)
                .hasMessage("unable to parse quantity's suffix");
    }

    @ParameterizedTest
    @CsvSource({"e-20", "+e-20", ".e-20"})
    void normalize_exponentWithoutNumber_throws(String written) {
        assertThatThrownBy(() -> QuantityText.normalize(written))
                .hasMessage("unable to parse numeric part of quantity");
    }
}
