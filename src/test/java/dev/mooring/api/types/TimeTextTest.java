package dev.mooring.api.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeTextTest {

    @ParameterizedTest
    @CsvSource({
        "SECONDS, 2026-01-31T12:00:00Z, 2026-01-31T12:00:00Z",
        "SECONDS, 2026-01-31T12:00:00+01:30, 2026-01-31T10:30:00Z",
        "SECONDS, 2026-01-31T23:00:00-02:00, 2026-02-01T01:00:00Z",
        "SECONDS, 2026-01-31T12:00:00.987Z, 2026-01-31T12:00:00Z",
        "SECONDS, 2026-01-31T12:00:00.987654321+00:00, 2026-01-31T12:00:00Z",
        "SECONDS, 2026-01-31T9:00:00Z, 2026-01-31T09:00:00Z",
        "SECONDS, 2024-02-29T00:00:00Z, 2024-02-29T00:00:00Z",
        "MICROS, 2026-01-31T12:00:00.123456Z, 2026-01-31T12:00:00.123456Z",
        "MICROS, 2026-01-31T12:00:00.000001+01:00, 2026-01-31T11:00:00.000001Z",
    })
    void normalize_timeWithOffset_isConvertedToUtc(TimeText.Precision precision, String written, String stored) {
        assertThat(TimeText.normalize(written, precision)).isEqualTo(stored);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "x|cannot parse \"x\" as \"2006\"",
                "~~|cannot parse \"\" as \"2006\"",
                "2026|cannot parse \"\" as \"-\"",
                "2026-1-31T12:00:00Z|cannot parse \"1-31T12:00:00Z\" as \"01\"",
                "2026-01-31|cannot parse \"\" as \"T\"",
                "2026-01-31 12:00:00Z|cannot parse \" 12:00:00Z\" as \"T\"",
                "2026-01-31T12:00:00|cannot parse \"\" as \"Z07:00\"",
                "2026-01-31T12:00:00+0100|cannot parse \"+0100\" as \"Z07:00\"",
                "2026-01-31T12:00Z|cannot parse \"Z\" as \":\"",
            })
    void normalize_unparsableText_namesTheUnparsedPart(String written, String problem) {
        assertThatThrownBy(() -> TimeText.normalize(written, TimeText.Precision.SECONDS))
                .isInstanceOf(BodyException.class)
                .hasMessage("parsing time \"" + written + "\" as \"2006-01-02T15:04:05Z07:00\": " + problem);
    }

    @ParameterizedTest
    @CsvSource({
        "2026-13-31T12:00:00Z, month out of range",
        "2026-00-31T12:00:00Z, month out of range",
        "2026-02-29T12:00:00Z, day out of range",
        "2026-02-00T12:00:00Z, day out of range",
        "2026-01-31T24:00:00Z, hour out of range",
        "2026-01-31T12:60:00Z, minute out of range",
        "2026-01-31T12:00:60Z, second out of range",
        "2026-01-31T12:00:00Zx, 'extra text: \"x\"'",
        "2026-01-31T12:00:00+99:00, time zone offset out of range",
    })
    void normalize_valueOutOfRange_namesTheField(String written, String problem) {
        assertThatThrownBy(() -> TimeText.normalize(written, TimeText.Precision.SECONDS))
                .isInstanceOf(BodyException.class)
                .hasMessage("parsing time \"" + written + "\": " + problem);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "2026-01-31T12:00:00Z|cannot parse \"Z\" as \".000000\"",
                "2026-01-31T12:00:00.123Z|cannot parse \".123Z\" as \".000000\"",
                "2026-01-31T12:00:00.1234567Z|cannot parse \"7Z\" as \"Z07:00\"",
            })
    void normalize_microTimeWithoutSixDigits_throws(String written, String problem) {
        assertThatThrownBy(() -> TimeText.normalize(written, TimeText.Precision.MICROS))
                .hasMessage("parsing time \"" + written + "\" as \"2006-01-02T15:04:05.000000Z07:00\": " + problem);
    }
}
