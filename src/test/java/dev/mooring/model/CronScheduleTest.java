package dev.mooring.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronScheduleTest {
    private static final ZoneId UTC = ZoneId.of("UTC");

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        * * * * *            | 2026-01-01T00:00:30Z | 2026-01-01T00:01:00Z
        * * * * *            | 2026-01-01T00:01:00Z | 2026-01-01T00:02:00Z
        */15 * * * *         | 2026-01-01T00:50:00Z | 2026-01-01T01:00:00Z
        5/20 * * * *         | 2026-01-01T00:26:00Z | 2026-01-01T00:45:00Z
        10-20/5 3 * * *      | 2026-01-01T03:16:00Z | 2026-01-01T03:20:00Z
        0 0 1 * *            | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z
        30 2 * * MON-fri     | 2026-01-02T03:00:00Z | 2026-01-05T02:30:00Z
        0 12 * jan,Mar 0     | 2026-01-25T12:00:00Z | 2026-03-01T12:00:00Z
        0 0 13 * 5           | 2026-01-10T00:00:00Z | 2026-01-13T00:00:00Z
        0 0 13 * 5           | 2026-01-13T00:00:00Z | 2026-01-16T00:00:00Z
        0 0 */2 * 1          | 2026-01-01T00:00:00Z | 2026-01-03T00:00:00Z
        0 0 ? * 1            | 2026-01-01T00:00:00Z | 2026-01-05T00:00:00Z
        0 0 29 2 *           | 2026-01-01T00:00:00Z | 2028-02-29T00:00:00Z
        @hourly              | 2026-01-01T00:59:59Z | 2026-01-01T01:00:00Z
        @daily               | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
        @midnight            | 2026-01-01T00:00:00Z | 2026-01-02T00:00:00Z
        @weekly              | 2026-01-01T00:00:00Z | 2026-01-04T00:00:00Z
        @monthly             | 2026-01-01T00:00:00Z | 2026-02-01T00:00:00Z
        @yearly              | 2026-01-01T00:00:00Z | 2027-01-01T00:00:00Z
        @annually            | 2025-12-31T23:59:59Z | 2026-01-01T00:00:00Z
        @every 1h30m         | 2026-01-01T00:00:10Z | 2026-01-01T01:30:10Z
        """)
    void next_isFirstMatchingTime(String schedule, String after, String expected) {
        assertThat(CronSchedule.parse(schedule).next(Instant.parse(after), UTC)).contains(Instant.parse(expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
        * * * *      | expected exactly 5 fields, found 4: [* * * *]
        60 * * * *   | end of range (60) above maximum (59): 60
        * * 0 * *    | beginning of range (0) below minimum (1): 0
        5-3 * * * *  | beginning of range (5) beyond end of range (3): 5-3
        */0 * * * *  | step of range should be a positive number: */0
        1/2/3 * * * * | too many slashes: 1/2/3
        1-2-3 * * * * | too many hyphens: 1-2-3
        x * * * *    | failed to parse int from x
        * * * foo *  | failed to parse int from foo
        , * * * *    | failed to parse int from
        @reboot      | unrecognized descriptor: @reboot
        @every often | failed to parse duration @every often
        """)
    void parse_invalid_throws(String schedule, String message) {
        assertThatThrownBy(() -> CronSchedule.parse(schedule))
                .isInstanceOf(CronSchedule.MalformedScheduleException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void next_neverMatches_isEmpty() {
        assertThat(CronSchedule.parse("0 0 30 2 *").next(Instant.EPOCH, UTC)).isEmpty();
    }

    /** In Berlin, 02:30 does not exist on 2026-03-29 and exists twice on 2026-10-25. */
    @ParameterizedTest
    @CsvSource({
        "2026-03-28T00:00:00Z, 2026-03-28T01:30:00Z",
        "2026-03-28T12:00:00Z, 2026-03-30T00:30:00Z",
        "2026-10-24T12:00:00Z, 2026-10-25T00:30:00Z",
        "2026-10-25T00:30:00Z, 2026-10-26T01:30:00Z",
    })
    void next_daylightSavingTime_occursAtMostOnceADay(String after, String expected) {
        assertThat(CronSchedule.parse("30 2 * * *").next(Instant.parse(after), ZoneId.of("Europe/Berlin")))
                .contains(Instant.parse(expected));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        * * * * *   | 2026-01-01T00:00:00Z | 2026-01-01T00:03:30Z | 2026-01-01T00:03:00Z | false
        * * * * *   | 2026-01-01T00:00:00Z | 2026-01-01T01:40:00Z | 2026-01-01T01:40:00Z | false
        * * * * *   | 2026-01-01T00:00:00Z | 2026-01-01T01:41:00Z | 2026-01-01T01:41:00Z | true
        * * * * *   | 2020-01-01T00:00:00Z | 2026-01-01T01:41:59Z | 2026-01-01T01:41:00Z | true
        0 3 * * *   | 2020-01-01T00:00:00Z | 2026-01-01T02:00:00Z | 2025-12-31T03:00:00Z | true
        @every 90s  | 2026-01-01T00:00:00Z | 2026-01-02T00:00:50Z | 2026-01-02T00:00:00Z | true
        """)
    void missed_returnsNewestTime_withBoundedCost(
            String schedule, String earliest, String now, String last, boolean tooMany) {
        assertThat(CronSchedule.parse(schedule).missed(Instant.parse(earliest), Instant.parse(now), UTC))
                .contains(new CronSchedule.MissedTimes(Instant.parse(last), tooMany));
    }

    @Test
    void missed_none_isEmpty() {
        Instant now = Instant.parse("2026-01-01T00:00:30Z");
        assertThat(CronSchedule.parse("* * * * *").missed(now.minusSeconds(20), now, UTC))
                .isEmpty();
        assertThat(CronSchedule.parse("* * * * *").missed(now.plusSeconds(600), now, UTC))
                .isEmpty();
    }
}
