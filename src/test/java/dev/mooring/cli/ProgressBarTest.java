package dev.mooring.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mooring.server.ProcessEnvironment;
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

class ProgressBarTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final TickingClock clock = new TickingClock();
    private final ProcessEnvironment environment = new ProcessEnvironment(
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

        void advance(long millis) {
            now = now.plusMillis(millis);
        }
    }

    private String printed() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void progressBar_longerThanASecond_isDrawnAndErased() {
        try (ProgressBar progress = new ProgressBar(environment, "verify", 100 << 20, true)) {
            progress.at(10 << 20);
            clock.advance(900);
            progress.at(20 << 20);
            assertThat(printed()).isEmpty();
            clock.advance(1_100);
            progress.at(50 << 20);
            assertThat(printed())
                    .isEqualTo("\rverify [###############---------------]  50 %  50 MiB of 100 MiB  2 s left ");
            progress.at(51 << 20);
            assertThat(printed()).as("not redrawn immediately").doesNotContain("51");
        }
        assertThat(printed()).as("erased at the end").endsWith("\r\033[K");
    }

    @Test
    void progressBar_noTerminal_printsNothing() {
        try (ProgressBar progress = new ProgressBar(environment, "verify", 100, false)) {
            clock.advance(10_000);
            progress.at(50);
        }
        assertThat(printed()).isEmpty();
    }
}
