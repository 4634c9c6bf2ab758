package dev.mooring.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class FaultsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final ManualClock clock = new ManualClock();
    private final Faults faults = new Faults(clock);

    @Test
    void failNextMounts_count_failsExactlyThatManyMounts() {
        faults.failNextMounts(2, "test fault", HOUR);
        assertThat(faults.takeMountFailure()).contains("test fault");
        assertThat(faults.mounts())
                .hasValueSatisfying(left -> assertThat(left.left()).isEqualTo(1));
        assertThat(faults.takeMountFailure()).contains("test fault");
        assertThat(faults.takeMountFailure()).isEmpty();
        assertThat(faults.mounts()).isEmpty();
    }

    @Test
    void failNextMounts_timeElapsed_failsNoMount() {
        faults.failNextMounts(2, "test fault", HOUR);
        clock.now = clock.now.plus(HOUR);
        assertThat(faults.takeMountFailure()).isEmpty();
        assertThat(faults.mounts()).isEmpty();
    }

    @Test
    void hang_otherSpellingOfServer_hangsUntilTheEnd() {
        faults.hang("NAS", HOUR);
        faults.hang("[fd00::1]", HOUR);
        assertThat(faults.isHung("nas")).isTrue();
        assertThat(faults.isHung("FD00::1")).isTrue();
        assertThat(faults.isHung("other")).isFalse();
        assertThat(faults.hung()).extracting(Faults.HungServer::server).containsExactly("fd00::1", "nas");
        clock.now = clock.now.plus(HOUR);
        assertThat(faults.isHung("nas")).isFalse();
        assertThat(faults.hung()).isEmpty();
    }

    @Test
    void awaitAnswer_faultsDisarmed_returnsTrue() throws Exception {
        faults.hang("nas", HOUR);
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
            started.countDown();
            try {
                return faults.awaitAnswer("nas", HOUR);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        started.await();
        faults.disarm();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void awaitAnswer_timeout_returnsFalse() throws Exception {
        faults.hang("nas", HOUR);
        assertThat(faults.awaitAnswer("nas", Duration.ofMillis(20))).isFalse();
        assertThat(faults.awaitAnswer("other", HOUR)).isTrue();
    }

    @Test
    void awaitAnswer_interrupted_throws() {
        faults.hang("nas", HOUR);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> faults.awaitAnswer("nas", HOUR)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void hang_maximumReached_refusesAnotherServerUntilOneExpires() {
        for (int i = 0; i < Faults.MAX_SERVERS; i++) {
            faults.hang("s" + i, HOUR);
        }
        assertThatThrownBy(() -> faults.hang("one-more", HOUR)).isInstanceOf(ChaosException.class);
        faults.hang("s0", HOUR);
        clock.now = clock.now.plus(HOUR);
        faults.hang("one-more", HOUR);
        assertThat(faults.hung()).hasSize(1);
    }

    /** A clock that only the test advances. */
    private static final class ManualClock extends Clock {
        private volatile Instant now = Instant.parse("2031-05-06T07:08:09Z");

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
    }
}
