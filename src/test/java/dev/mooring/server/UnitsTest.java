package dev.mooring.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.mooring.model.TimeSpan;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "64Mi,67108864",
        "64MiB,67108864",
        "1.5Ki,1536",
        "0,0",
        "1000,1000",
        "12b,12",
        "2 Gi,2147483648",
        "1ti,1099511627776"
    })
    void byteSize_validText_isParsed(String text, long bytes) {
        assertThat(ByteSize.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Mi", "-1", "64M", "64MB", "0.3", "1e3", "9999999999999999999", "9999999Ti9"})
    void byteSize_invalidText_isRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ByteSize.parse(text));
    }

    @ParameterizedTest
    @CsvSource({
        "1h,3600000",
        "30m,1800000",
        "90s,90000",
        "24h,86400000",
        "7d,604800000",
        "1h30m,5400000",
        "250ms,250",
        "1d 2h,93600000"
    })
    void timeSpan_validText_isParsed(String text, long millis) {
        assertThat(TimeSpan.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "60", "-1s", "1w", "h", "1m1h", "1.5h"})
    void timeSpan_invalidText_isRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> TimeSpan.parse(text));
    }

    @Test
    void byteSizeAndTimeSpan_formatted_matchTheParsedText() {
        assertThat(ByteSize.format(ByteSize.parse("64Mi"))).isEqualTo("64Mi");
        assertThat(ByteSize.format(1000)).isEqualTo("1000");
        assertThat(TimeSpan.format(TimeSpan.parse("1d2h3m4s5ms"))).isEqualTo("1d2h3m4s5ms");
        assertThat(TimeSpan.format(Duration.ZERO)).isEqualTo("0s");
    }

    @Test
    void listenAddress_ipv6InBrackets_isParsed() {
        assertThat(ListenAddress.parse("[::1]:0"))
                .isEqualTo(new ListenAddress("::1", 0))
                .hasToString("[::1]:0");
        assertThat(ListenAddress.parse("0.0.0.0:7443").coversAllInterfaces()).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> ListenAddress.parse("::1:7443"));
    }
}
