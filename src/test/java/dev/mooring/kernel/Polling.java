package dev.mooring.kernel;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Polls states of the kernel and the engine that have no notification. Thread-safe. */
final class Polling {
    private static final long INTERVAL_MILLIS = 500;

    private Polling() {}

    static void millis(long millis) {
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }

    /** Polls until nothing is missing or the time is over; returns what is still missing. */
    static List<String> untilEmpty(Duration time, Supplier<List<String>> missing) {
        long end = System.nanoTime() + time.toNanos();
        List<String> now = missing.get();
        while (!now.isEmpty() && System.nanoTime() - end < 0) {
            millis(INTERVAL_MILLIS);
            now = missing.get();
        }
        return now;
    }
}
