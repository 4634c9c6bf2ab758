package dev.mooring.server;

import dev.mooring.control.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Back-off before a dead verticle is restarted.
 *
 * @param first delay after the first death; doubled with each further one
 * @param most maximum delay
 * @param healthyAfter uptime after which the next death counts as the first again
 * @param stopDeadline how long a verticle may take to stop (or, when it is killed while starting, to start) before the
 *     supervisor continues without waiting for it
 */
public record BackoffPolicy(Duration first, Duration most, Duration healthyAfter, Duration stopDeadline) {
    public static final BackoffPolicy DEFAULT = new BackoffPolicy(
            Duration.ofMillis(100), Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(5));

    /** Relative jitter, so that verticles that died of the same cause do not restart at the same time. */
    private static final double JITTER = 0.2;

    /**
     * Returns the delay before the next start.
     *
     * @param deaths consecutive deaths, including the latest
     */
    Duration delay(int deaths, RandomGenerator random) {
        long millis = new Backoff(first, most).after(deaths).toMillis();
        long jittered = Math.round(millis * (1 + JITTER * (2 * random.nextDouble() - 1)));
        return Duration.ofMillis(Math.max(1, Math.min(jittered, most.toMillis())));
    }
}
