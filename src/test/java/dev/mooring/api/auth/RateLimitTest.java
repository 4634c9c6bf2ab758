package dev.mooring.api.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RateLimitTest {
    /** Starts near the end of the range, because {@link System#nanoTime} may overflow too. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

    private RateLimit limit(double perSecond, int burst, int maxUsers) {
        return new RateLimit(new RateLimit.RateLimitSettings(perSecond, burst, maxUsers), nanos::get);
    }

    private void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static int countAcquired(RateLimit limit, String user, int attempts) {
        int acquired = 0;
        for (int i = 0; i < attempts; i++) {
            acquired += limit.acquire(user).isEmpty() ? 1 : 0;
        }
        return acquired;
    }

    @Test
    void acquire_burstUsedUp_allowsOnlyTheRate() {
        RateLimit limit = limit(10, 5, 100);
        assertThat(countAcquired(limit, "erin", 20)).isEqualTo(5);
        advance(Duration.ofMillis(300));
        assertThat(countAcquired(limit, "erin", 20)).isEqualTo(3);
        advance(Duration.ofHours(1));
        assertThat(countAcquired(limit, "erin", 20)).isEqualTo(5);
    }

    @Test
    void acquire_limitExceeded_returnsExactRetryDelay() {
        RateLimit limit = limit(10, 2, 100);
        countAcquired(limit, "erin", 2);
        assertThat(limit.acquire("erin")).isEqualTo(Optional.of(Duration.ofMillis(100)));
        advance(Duration.ofMillis(99));
        assertThat(limit.acquire("erin")).isEqualTo(Optional.of(Duration.ofMillis(1)));
        advance(Duration.ofMillis(1));
        assertThat(limit.acquire("erin")).isEmpty();
        assertThat(limit.acquire("erin")).isPresent();
    }

    @Test
    void acquire_otherUserExceedsLimit_isAllowed() {
        RateLimit limit = limit(1, 1, 100);
        assertThat(limit.acquire("erin")).isEmpty();
        assertThat(limit.acquire("erin")).isPresent();
        assertThat(limit.acquire("vera")).isEmpty();
    }

    @Test
    void acquire_moreThanMaxUsers_evictsLeastRecentlySeen() {
        RateLimit limit = limit(1, 1, 2);
        limit.acquire("a");
        limit.acquire("b");
        limit.acquire("a");
        limit.acquire("c");
        assertThat(limit.trackedUsers()).isEqualTo(2);
        assertThat(limit.acquire("a")).isPresent();
        assertThat(limit.acquire("b")).isEmpty();
    }

    @Test
    void acquire_concurrently_countsEachRequestOnce() throws InterruptedException, ExecutionException {
        RateLimit limit = limit(1, 1000, 10);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                counts.add(threads.submit(() -> countAcquired(limit, "erin", 2000)));
            }
            int total = 0;
            for (Future<Integer> count : counts) {
                total += count.get();
            }
            assertThat(total).isEqualTo(1000);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void settings_rateOrBurstNotPositive_throws() {
        assertThatThrownBy(() -> new RateLimit.RateLimitSettings(0, 1, 1))
                .hasMessageStartingWith("perSecond must be positive");
        assertThatThrownBy(() -> new RateLimit.RateLimitSettings(Double.NaN, 1, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RateLimit.RateLimitSettings(1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
