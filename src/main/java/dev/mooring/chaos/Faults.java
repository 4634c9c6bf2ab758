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
 * What is armed on this node: set-ups of volumes that fail, and servers that hang. Whoever mounts asks it before touching anything. All of it ends by
 * itself; nothing survives the process. Thread-safe.
 */
public final class Faults {
    /** Servers that may hang at once; more than a test needs. */
    static final int MOST_SERVERS = 100;

    private final Clock clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Instant> hung = new HashMap<>();
    private Mounts mounts = new Mounts(0, "", Instant.EPOCH);

    /**
     * Set-ups that are to fail.
     *
     * @param left how many more
     */
    public record Mounts(int left, String reason, Instant until) {}

    /** A server that hangs. */
    public record Hung(String server, Instant until) {}

    public Faults(Clock clock) {
        this.clock = clock;
    }

    /** Takes the place of what was armed before. */
    Instant failNextMounts(int count, String reason, Duration length) {
        lock.lock();
        try {
            Instant until = clock.instant().plus(length);
            mounts = new Mounts(count, reason, until);
            return until;
        } finally {
            lock.unlock();
        }
    }

    Instant hang(String server, Duration length) {
        lock.lock();
        try {
            forgetWhatIsOver();
            if (hung.size() >= MOST_SERVERS && !hung.containsKey(key(server))) {
                throw new ChaosException(
                        ChaosException.Kind.CONFLICT,
                        "Expected at most " + MOST_SERVERS + " servers to hang at once, but there are as many");
            }
            Instant until = clock.instant().plus(length);
            hung.put(key(server), until);
            changed.signalAll();
            return until;
        } finally {
            lock.unlock();
        }
    }

    /** Ends everything; whoever hangs goes on. */
    void disarm() {
        lock.lock();
        try {
            mounts = new Mounts(0, "", Instant.EPOCH);
            hung.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Why the set-up that is about to begin is to fail, if it is. Counts. */
    public Optional<String> takeMountFailure() {
        lock.lock();
        try {
            if (mounts.left() == 0 || !clock.instant().isBefore(mounts.until())) {
                return Optional.empty();
            }
            mounts = new Mounts(mounts.left() - 1, mounts.reason(), mounts.until());
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
     * @param patience no longer than this
     * @return whether it answers now
     * @throws InterruptedException if somebody gave up on the operation
     */
    public boolean awaitAnswer(String server, Duration patience) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = patience.toNanos();
            for (long left = remaining(server); left > 0 && nanos > 0; left = remaining(server)) {
                // One at a time: the time that a server hangs for may be changed while somebody waits.
                long turn = Math.min(nanos, TimeUnit.MILLISECONDS.toNanos(left));
                nanos -= turn - changed.awaitNanos(turn);
            }
            return remaining(server) == 0;
        } finally {
            lock.unlock();
        }
    }

    /** How many milliseconds it hangs for yet. */
    private long remaining(String server) {
        Instant until = hung.get(key(server));
        return until == null
                ? 0
                : Math.max(0, Duration.between(clock.instant(), until).toMillis());
    }

    /** The set-ups that are to fail, if there are any. */
    public Optional<Mounts> mounts() {
        lock.lock();
        try {
            return Optional.of(mounts)
                    .filter(armed -> armed.left() > 0 && clock.instant().isBefore(armed.until()));
        } finally {
            lock.unlock();
        }
    }

    /** The servers that hang, by name. */
    public List<Hung> hung() {
        lock.lock();
        try {
            forgetWhatIsOver();
            List<Hung> all = new ArrayList<>();
            hung.forEach((server, until) -> all.add(new Hung(server, until)));
            all.sort((one, other) -> one.server().compareTo(other.server()));
            return all;
        } finally {
            lock.unlock();
        }
    }

    private void forgetWhatIsOver() {
        hung.keySet().removeIf(server -> remaining(server) == 0);
    }

    /** However it is written in a volume. */
    private static String key(String server) {
        boolean bracketed = server.startsWith("[") && server.endsWith("]");
        return (bracketed ? server.substring(1, server.length() - 1) : server).toLowerCase(Locale.ROOT);
    }
}
