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

@Timeout(60)
class FaultsTest {
    private static final Duration HOUR = Duration.ofHours(1);

    private final Hands clock = new Hands();
    private final Faults faults = new Faults(clock);

    @Test
    void asManyMountsFailAsWereAskedFor() {
        faults.failNextMounts(2, "bad day", HOUR);
        assertThat(faults.takeMountFailure()).contains("bad day");
        assertThat(faults.mounts())
                .hasValueSatisfying(left -> assertThat(left.left()).isEqualTo(1));
        assertThat(faults.takeMountFailure()).contains("bad day");
        assertThat(faults.takeMountFailure()).isEmpty();
        assertThat(faults.mounts()).isEmpty();
    }

    @Test
    void mountsThatWereNotTriedInTimeAreForgotten() {
        faults.failNextMounts(2, "bad day", HOUR);
        clock.now = clock.now.plus(HOUR);
        assertThat(faults.takeMountFailure()).isEmpty();
        assertThat(faults.mounts()).isEmpty();
    }

    @Test
    void aServerHangsForItsTimeHoweverItIsWritten() {
        faults.hang("NAS", HOUR);
        faults.hang("[fd00::1]", HOUR);
        assertThat(faults.isHung("nas")).isTrue();
        assertThat(faults.isHung("FD00::1")).isTrue();
        assertThat(faults.isHung("other")).isFalse();
        assertThat(faults.hung()).extracting(Faults.Hung::server).containsExactly("fd00::1", "nas");
        clock.now = clock.now.plus(HOUR);
        assertThat(faults.isHung("nas")).isFalse();
        assertThat(faults.hung()).isEmpty();
    }

    @Test
    void whoeverWaitsGoesOnWhenAllIsDisarmed() throws Exception {
        faults.hang("nas", HOUR);
        CountDownLatch about = new CountDownLatch(1);
        CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> {
            about.countDown();
            try {
                return faults.awaitAnswer("nas", HOUR);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        about.await();
        faults.disarm();
        assertThat(waiting.get(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void whoeverWaitsLosesPatience() throws Exception {
        faults.hang("nas", HOUR);
        assertThat(faults.awaitAnswer("nas", Duration.ofMillis(20))).isFalse();
        assertThat(faults.awaitAnswer("other", HOUR)).isTrue();
    }

    @Test
    void whoeverWaitsCanBeInterrupted() {
        faults.hang("nas", HOUR);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> faults.awaitAnswer("nas", HOUR)).isInstanceOf(InterruptedException.class);
    }

    @Test
    void onlySoManyServersHang() {
        for (int i = 0; i < Faults.MOST_SERVERS; i++) {
            faults.hang("s" + i, HOUR);
        }
        assertThatThrownBy(() -> faults.hang("one-more", HOUR)).isInstanceOf(ChaosException.class);
        faults.hang("s0", HOUR);
        clock.now = clock.now.plus(HOUR);
        faults.hang("one-more", HOUR);
        assertThat(faults.hung()).hasSize(1);
    }

    /** Time stands still until a test moves it. */
    private static final class Hands extends Clock {
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
