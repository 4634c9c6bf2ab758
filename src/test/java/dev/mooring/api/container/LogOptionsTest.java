package dev.mooring.api.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mooring.api.StatusException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LogOptionsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00.5Z");

    private static LogOptions read(String query) {
        return LogOptions.of("p", ContainerRequestParameters.of(query), NOW);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        tailLines=-1                         | 422 | tailLines: Invalid value: -1: must be greater than or equal to 0
        limitBytes=0                         | 422 | limitBytes: Invalid value: 0: must be greater than 0
        sinceSeconds=0                       | 422 | sinceSeconds: Invalid value: 0: must be greater than 0
        sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z | 422 | []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified
        stream=Both                          | 422 | stream: Unsupported value: "Both": supported values: "All", "Stderr", "Stdout"
        stream=Stdout&tailLines=1            | 422 | []: Forbidden: `tailLines` and specific `stream` are mutually exclusive for now
        tailLines=-1&limitBytes=-2           | 422 | [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: -2: must be greater than 0]
        tailLines=                           | 400 | strconv.ParseInt: parsing "": invalid syntax
        limitBytes=99999999999999999999      | 400 | strconv.ParseInt: parsing "99999999999999999999": value out of range
        sinceTime=yesterday                  | 400 | parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"
        """)
    void of_invalidQuery_throwsStatusOfKubernetes(String query, int code, String message) {
        String expected = code == 422 ? "PodLogOptions \"p\" is invalid: " + message : message;
        assertThatThrownBy(() -> read(query))
                .isInstanceOf(StatusException.class)
                .extracting(e -> ((StatusException) e).status())
                .satisfies(status -> {
                    assertThat(status.code()).isEqualTo(code);
                    assertThat(status.message()).isEqualTo(expected);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "sinceSeconds=90, 2026-01-31T11:58:30.500Z",
        "sinceSeconds=9223372036854775807, 1970-01-01T00:00:00Z",
        "sinceTime=2026-01-31T12:00:00.25%2B01:00, 2026-01-31T11:00:00.250Z"
    })
    void since_secondsOrTime_isConvertedToInstant(String query, Instant since) {
        assertThat(read(query).query().since()).contains(since);
    }

    @Test
    void of_withoutOptions_selectsEntireLog() {
        LogOptions all = read(null);
        assertThat(all.query().toString())
                .isEqualTo("LogQuery[since=Optional.empty, tail=OptionalLong.empty, follow=false, timestamps=false]");
        assertThat(all.sources()).hasSize(2);
        assertThat(all.limitBytes()).isEmpty();
        assertThat(read("insecureSkipTLSVerifyBackend=true&follow=0&previous=False"))
                .isEqualTo(all);
        assertThat(read("tailLines=0").query().tail()).hasValue(0);
    }
}
