package dev.mooring.api.auth;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * How often each user may ask: a token bucket per user, kept as one number, the time at which the bucket would be full again. A lookup
 * and two comparisons per request. Any thread; the lock is held for that long only.
 *
 * <p>The number of users remembered is bounded. Who has not asked for longest is forgotten first, and at worst finds a full bucket again.
 */
public final class RateLimit {
    private static final double NANOS_PER_SECOND = 1e9;

    /**
     * @param perSecond requests per second in the long run
     * @param burst requests at once after a rest; at least 1
     * @param maxUsers how many users are remembered
     */
    public record Settings(double perSecond, int burst, int maxUsers) {
        public Settings {
            if (!(perSecond > 0) || burst < 1 || maxUsers < 1) {
                throw new IllegalArgumentException(
                        "Expected a rate above 0, a burst and users of at least 1, but found " + perSecond + ", "
                                + burst + ", " + maxUsers);
            }
        }
    }

    private final LongSupplier nanoTime;
    private final long origin;
    private final long interval;
    private final long slack;
    private final Map<String, Long> fullAt;

    /** @param nanoTime as {@link System#nanoTime}: only differences count */
    public RateLimit(Settings settings, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.origin = nanoTime.getAsLong();
        this.interval = Math.max(1, Math.round(NANOS_PER_SECOND / settings.perSecond()));
        this.slack = Math.multiplyExact(interval, settings.burst() - 1L);
        this.fullAt = new LeastRecentlySeen(settings.maxUsers());
    }

    /**
     * Takes one request from a user's bucket.
     *
     * @return how long to wait before asking again, if the bucket is empty; the refused request costs nothing
     */
    public Optional<Duration> take(String user) {
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

    int usersRemembered() {
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
