package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final TickingClock clock = new TickingClock();
    private final Ambient ambient = new Ambient(
            clock,
            new SecureRandom(),
            new Random(1),
            Map.of(),
            "testhost",
            System.out,
            new PrintStream(err, true, StandardCharsets.UTF_8));

    private static final class TickingClock extends Clock {
        private Instant now = Instant.EPOCH.plusSeconds(1_000);

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }

        void pass(long millis) {
            now = now.plusMillis(millis);
        }
    }

    private String shown() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldShowABarOnceItTakesLongerThanASecond() {
        try (Progress progress = new Progress(ambient, "verify", 100 << 20, true)) {
            progress.at(10 << 20);
            clock.pass(900);
            progress.at(20 << 20);
            assertThat(shown()).isEmpty();
            clock.pass(1_100);
            progress.at(50 << 20);
            assertThat(shown())
                    .isEqualTo("\rverify [###############---------------]  50 %  50 MiB of 100 MiB  2 s left ");
            progress.at(51 << 20);
            assertThat(shown()).as("not drawn again at once").doesNotContain("51");
        }
        assertThat(shown()).as("leaves nothing behind").endsWith("\r\033[K");
    }

    @Test
    void shouldBeSilentWithoutATerminal() {
        try (Progress progress = new Progress(ambient, "verify", 100, false)) {
            clock.pass(10_000);
            progress.at(50);
        }
        assertThat(shown()).isEmpty();
    }
}
