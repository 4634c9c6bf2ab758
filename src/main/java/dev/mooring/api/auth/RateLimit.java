package dev.mooring.api.auth;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Limits the request rate of each user: a token bucket per user, stored as the time at which the bucket is full again.
 * Costs a lookup and two comparisons per request. Thread-safe; the lock is held only for that long.
 *
 * <p>The number of users is bounded. The user with the oldest request is evicted first, and at worst gets a full bucket
 * again.
 */
public final class RateLimit {
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * @param perSecond sustained requests per second
     * @param burst size of the bucket; at least 1
     * @param maxUsers maximum number of tracked users
     */
    public record RateLimitSettings(double perSecond, int burst, int maxUsers) {
        public RateLimitSettings {
            if (!(perSecond > 0) || burst < 1 || maxUsers < 1) {
                throw new IllegalArgumentException("perSecond must be positive, burst and maxUsers at least 1, got "
                        + perSecond + ", " + burst + ", " + maxUsers);
            }
        }
    }

    private final LongSupplier nanoTime;
    private final long origin;
    private final long interval;
    private final long slack;
    private final Map<String, Long> fullAt;

    /** @param nanoTime as {@link System#nanoTime}: only differences count */
    public RateLimit(RateLimitSettings settings, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.origin = nanoTime.getAsLong();
        this.interval = Math.max(1, Math.round(NANOS_PER_SECOND / settings.perSecond()));
        this.slack = Math.multiplyExact(interval, settings.burst() - 1L);
        this.fullAt = new LeastRecentlySeen(settings.maxUsers());
    }

    /**
     * Takes one request from a user's bucket.
     *
     * @return the time after which to retry if the bucket is empty; a refused request takes nothing
     */
    public Optional<Duration> acquire(String user) {
        long now = nanoTime.getAsLong() - origin;
        synchronized (fullAt) {
            long full = Math.max(now, fullAt.getOrDefault(user, now));
            long tooEarlyBy = full - now - slack;
            if (tooEarlyBy > 0) {
                return Optional.of(Duration.ofNanos(tooEarlyBy));
            }
            fullAt.put(user, full + interval);
            return Optional.empty();
        }
    }

    int trackedUsers() {
        synchronized (fullAt) {
            return fullAt.size();
        }
    }

    private static final class LeastRecentlySeen extends LinkedHashMap<String, Long> {
        private static final long serialVersionUID = 1L;

        private final int max;

        LeastRecentlySeen(int max) {
            super(16, 0.75f, true);
            this.max = max;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > max;
        }
    }
}
