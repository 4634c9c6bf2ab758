package dev.mooring.kernel;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Lets time pass where the kernel and the engine have nobody tell when something has happened. Any thread. */
final class Pause {
    private static final long BETWEEN_LOOKS = 500;

    private Pause() {}

    static void millis(long millis) {
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }

    /** Looks until nothing is missing, or the time is over; answers what is missing then. */
    static List<String> untilNothing(Duration time, Supplier<List<String>> missing) {
        long end = System.nanoTime() + time.toNanos();
        List<String> now = missing.get();
        while (!now.isEmpty() && System.nanoTime() - end < 0) {
            millis(BETWEEN_LOOKS);
            now = missing.get();
        }
        return now;
    }
}
