package dev.mooring.chaos;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The armed faults of this node: volume set-ups that fail, and servers that hang. Volume operations check it before
 * they touch anything. All faults end by themselves, at the latest with the process. Thread-safe.
 */
public final class Faults {
    /** Maximum number of hanging servers. */
    static final int MAX_SERVERS = 100;

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Instant> hung = new HashMap<>();
    private ArmedMountFailures mounts = new ArmedMountFailures(0, "", Instant.EPOCH);

    /**
     * Set-ups that will fail.
     *
     * @param left remaining number
     */
    public record ArmedMountFailures(int left, String reason, Instant until) {}

    /** A hanging server. */
    public record HungServer(String server, Instant until) {}

    public Faults(Clock clock) {
        this.clock = clock;
    }

    /** Arms failures, replacing earlier ones. */
    Instant failNextMounts(int count, String reason, Duration length) {
        lock.lock();
        try {
            Instant until = clock.instant().plus(length);
            mounts = new ArmedMountFailures(count, reason, until);
            return until;
        } finally {
            lock.unlock();
        }
    }

    Instant hang(String server, Duration length) {
        lock.lock();
        try {
            removeExpired();
            if (hung.size() >= MAX_SERVERS && !hung.containsKey(key(server))) {
                throw new ChaosException(
                        ChaosException.ChaosErrorKind.CONFLICT,
                        "At most " + MAX_SERVERS + " servers can hang at once; wait until one of these faults ends");
            }
            Instant until = clock.instant().plus(length);
            hung.put(key(server), until);
            changed.signalAll();
            return until;
        } finally {
            lock.unlock();
        }
    }

    /** Disarms everything; waiting operations continue. */
    void disarm() {
        lock.lock();
        try {
            mounts = new ArmedMountFailures(0, "", Instant.EPOCH);
            hung.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns why the set-up that is about to begin must fail, if it must. Decrements the count. */
    public Optional<String> takeMountFailure() {
        lock.lock();
        try {
            if (mounts.left() == 0 || !clock.instant().isBefore(mounts.until())) {
                return Optional.empty();
            }
            mounts = new ArmedMountFailures(mounts.left() - 1, mounts.reason(), mounts.until());
            return Optional.of(mounts.reason());
        } finally {
            lock.unlock();
        }
    }

    public boolean isHung(String server) {
        lock.lock();
        try {
            return remaining(server) > 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits while the server hangs.
     *
     * @param timeout maximum wait
     * @return whether the server responds now
     * @throws InterruptedException if the operation was cancelled
     */
    public boolean awaitAnswer(String server, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = timeout.toNanos();
            for (long left = remaining(server); left > 0 && nanos > 0; left = remaining(server)) {
                // Checked again after each wait, because the end of a hang may be changed meanwhile.
                long wait = Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(left));
                nanos -= wait - changed.awaitNanos(wait);
            }
            return remaining(server) == 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns for how many milliseconds the server still hangs. */
    private long remaining(String server) {
        Instant until = hung.get(key(server));
        return until == null
                ? 0
                : Math.max(0, Duration.between(clock.instant(), until).toMillis());
    }

    /** Returns the armed set-up failures, if any. */
    public Optional<ArmedMountFailures> mounts() {
        lock.lock();
        try {
            return Optional.of(mounts)
                    .filter(armed -> armed.left() > 0 && clock.instant().isBefore(armed.until()));
        } finally {
            lock.unlock();
        }
    }

    /** Returns the hanging servers, by name. */
    public List<HungServer> hung() {
        lock.lock();
        try {
            removeExpired();
            List<HungServer> all = new ArrayList<>();
            hung.forEach((server, until) -> all.add(new HungServer(server, until)));
            all.sort((one, other) -> one.server().compareTo(other.server()));
            return all;
        } finally {
            lock.unlock();
        }
    }

    private void removeExpired() {
        hung.keySet().removeIf(server -> remaining(server) == 0);
    }

    /** Returns the normalized name of the server. */
    private static String key(String server) {
        boolean bracketed = server.startsWith("[") && server.endsWith("]");
        return (bracketed ? server.substring(1, server.length() - 1) : server).toLowerCase(Locale.ROOT);
    }
}
