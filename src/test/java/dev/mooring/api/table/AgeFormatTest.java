package dev.mooring.api.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgeFormatTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

    @ParameterizedTest(name = "{0} shows as {1}")
    @CsvSource({
        "PT-100H,       <invalid>",
        "PT-2S,         <invalid>",
        "PT-1.999S,     0s",
        "PT-1S,         0s",
        "PT-0.5S,       0s",
        "PT0S,          0s",
        "PT0.999S,      0s",
        "PT1S,          1s",
        "PT70S,         70s",
        "PT119.9S,      119s",
        "PT2M,          2m",
        "PT2M5S,        2m5s",
        "PT9M59S,       9m59s",
        "PT10M,         10m",
        "PT10M30S,      10m",
        "PT179M59S,     179m",
        "PT3H,          3h",
        "PT3H1M,        3h1m",
        "PT7H59M59S,    7h59m",
        "PT8H,          8h",
        "PT8H30M,       8h",
        "PT47H59M,      47h",
        "P2D,           2d",
        "P2DT1H,        2d1h",
        "P7DT23H59M,    7d23h",
        "P8D,           8d",
        "P8DT5H,        8d",
        "P729DT23H,     729d",
        "P730D,         2y",
        "P731D,         2y1d",
        "P2919D,        7y364d",
        "P2920D,        8y",
        "P3650D,        10y",
        "P900000D,      292y",
    })
    void human_duration_matchesKubernetes(Duration duration, String expected) {
        assertThat(AgeFormat.human(duration)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "\"{0}\"")
    @CsvSource({
        "2026-03-01T11:59:00Z,             60s",
        "2026-03-01T12:59:00+01:00,        60s",
        "2026-03-01T11:59:00.500000Z,      59s",
        "2024-02-29T12:00:00Z,             2y1d",
        "2026-03-01T12:00:01Z,             0s",
        "2026-03-01T12:05:00Z,             <invalid>",
        "0001-01-01T00:00:00Z,             <unknown>",
        "'',                               <unknown>",
        "yesterday,                        <unknown>",
        "2026-02-30T12:00:00Z,             <unknown>",
        "2026-02-28T24:00:00Z,             <unknown>",
        "2026-02-28T12:00:0xZ,             <unknown>",
    })
    void since_timeOfObject_showsAge(String time, String expected) {
        assertThat(AgeFormat.since(time, NOW)).isEqualTo(expected);
    }

    @Test
    void until_futureTime_showsRemainingTime() {
        assertThat(AgeFormat.until("2026-03-01T13:00:00Z", NOW)).isEqualTo("60m");
        assertThat(AgeFormat.until("2026-03-01T11:00:00Z", NOW)).isEqualTo("<invalid>");
    }
}
