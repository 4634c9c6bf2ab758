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
    /** Near the end of the range, as the real one may be. */
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);

    private RateLimit limit(double perSecond, int burst, int maxUsers) {
        return new RateLimit(new RateLimit.Settings(perSecond, burst, maxUsers), nanos::get);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static int taken(RateLimit limit, String user, int attempts) {
        int taken = 0;
        for (int i = 0; i < attempts; i++) {
            taken += limit.take(user).isEmpty() ? 1 : 0;
        }
        return taken;
    }

    @Test
    void letsABurstThroughAndThenTheRate() {
        RateLimit limit = limit(10, 5, 100);
        assertThat(taken(limit, "erin", 20)).isEqualTo(5);
        pass(Duration.ofMillis(300));
        assertThat(taken(limit, "erin", 20)).isEqualTo(3);
        pass(Duration.ofHours(1));
        assertThat(taken(limit, "erin", 20)).isEqualTo(5);
    }

    @Test
    void saysWhenToComeBackAndKeepsItsWord() {
        RateLimit limit = limit(10, 2, 100);
        taken(limit, "erin", 2);
        assertThat(limit.take("erin")).isEqualTo(Optional.of(Duration.ofMillis(100)));
        pass(Duration.ofMillis(99));
        assertThat(limit.take("erin")).isEqualTo(Optional.of(Duration.ofMillis(1)));
        pass(Duration.ofMillis(1));
        assertThat(limit.take("erin")).isEmpty();
        assertThat(limit.take("erin")).isPresent();
    }

    @Test
    void doesNotMakeOneUserWaitForAnother() {
        RateLimit limit = limit(1, 1, 100);
        assertThat(limit.take("erin")).isEmpty();
        assertThat(limit.take("erin")).isPresent();
        assertThat(limit.take("vera")).isEmpty();
    }

    @Test
    void remembersNoMoreUsersThanItMayAndForgetsTheOneNotSeenForLongest() {
        RateLimit limit = limit(1, 1, 2);
        limit.take("a");
        limit.take("b");
        limit.take("a");
        limit.take("c");
        assertThat(limit.usersRemembered()).isEqualTo(2);
        assertThat(limit.take("a")).isPresent();
        assertThat(limit.take("b")).isEmpty();
    }

    @Test
    void countsEachRequestOnceWhateverTheThread() throws InterruptedException, ExecutionException {
        RateLimit limit = limit(1, 1000, 10);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                counts.add(threads.submit(() -> taken(limit, "erin", 2000)));
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
    void refusesSettingsThatLetNothingThrough() {
        assertThatThrownBy(() -> new RateLimit.Settings(0, 1, 1)).hasMessageStartingWith("Expected a rate above 0");
        assertThatThrownBy(() -> new RateLimit.Settings(Double.NaN, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new RateLimit.Settings(1, 0, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
