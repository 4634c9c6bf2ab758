package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PointInTimeTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    @Test
    void digits_areARevision() {
        assertThat(PointInTime.parse("at", "0812", NOW)).isEqualTo(new PointInTime.AtRevision(812));
    }

    @ParameterizedTest
    @CsvSource({
        "10m, 2026-01-31T11:50:00Z",
        "1h30m, 2026-01-31T10:30:00Z",
        "2d, 2026-01-29T12:00:00Z",
        "0s, 2026-01-31T12:00:00Z",
        "2026-01-02T03:04:05Z, 2026-01-02T03:04:05Z",
        "2026-01-02T03:04:05.006+01:00, 2026-01-02T02:04:05.006Z"
    })
    void durationsAndTimes_areTimes(String text, String time) {
        assertThat(PointInTime.parse("at", text, NOW)).isEqualTo(new PointInTime.AtTime(Instant.parse(time)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-5",
                "1.5h",
                "yesterday",
                "2026-01-02",
                "2026-01-02T03:04:05",
                "99999999999999999999",
                "-999999999-01-01T00:00:00Z",
                "+292278995-01-01T00:00:00Z"
            })
    void everythingElse_isAnErrorThatNamesTheForms(String text) {
        assertThatThrownBy(() -> PointInTime.parse("--since", text, NOW))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--since must be a revision such as 812")
                .hasMessageContaining("\"" + text + "\"");
    }
}
