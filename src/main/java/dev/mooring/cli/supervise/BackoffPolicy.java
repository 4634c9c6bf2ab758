package dev.mooring.cli.supervise;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * How long to wait before a dead verticle is started again.
 *
 * @param first the wait after one death; doubled with each further one
 * @param most no wait is longer
 * @param healthyAfter after this time without dying, the next death counts as the first again
 * @param stopDeadline how long a verticle may take to stop (or, when it is killed while starting, to start) before it is
 *     given up on and the next step is taken without it
 */
public record BackoffPolicy(Duration first, Duration most, Duration healthyAfter, Duration stopDeadline) {
    public static final BackoffPolicy DEFAULT = new BackoffPolicy(
            Duration.ofMillis(100), Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(5));

    /** Verticles that died of the same cause should not all come back in the same instant. */
    private static final double JITTER = 0.2;

    /** @param deaths in a row, the latest included */
    Duration delay(int deaths, RandomGenerator random) {
        int doublings = Math.min(deaths - 1, 30); // more would overflow and is far beyond any sensible limit
        long millis = Math.min(first.toMillis() << doublings, most.toMillis());
        long jittered = Math.round(millis * (1 + JITTER * (2 * random.nextDouble() - 1)));
        return Duration.ofMillis(Math.max(1, Math.min(jittered, most.toMillis())));
    }
}
