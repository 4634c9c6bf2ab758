package dev.mooring.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class WatchdogTest {
    private final StringWriter printed = new StringWriter();
    private final CountDownLatch ended = new CountDownLatch(1);

    @Test
    void watchdog_noProgressWithinLimit_printsThreadsAndEndsRun() throws Exception {
        try (Watchdog unused = new Watchdog(new PrintWriter(printed), Duration.ofMillis(20), ended::countDown)) {
            ended.await();
        }

        assertThat(printed.toString())
                .contains("No test started or ended within 0 s")
                .contains("WatchdogTest.watchdog_noProgressWithinLimit_printsThreadsAndEndsRun");
    }

    @Test
    void watchdog_closed_stops() throws Exception {
        Watchdog watchdog = new Watchdog(new PrintWriter(printed), Duration.ofHours(1), ended::countDown);

        watchdog.close();

        watchdog.awaitEnd();
        assertThat(ended.getCount()).isEqualTo(1);
        assertThat(printed.toString()).isEmpty();
    }
}
