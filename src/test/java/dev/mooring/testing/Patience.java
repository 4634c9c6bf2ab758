package dev.mooring.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what nobody tells of. The time limit of a test ends it, which a loop that never looks for an interrupt would sit out. */
public final class Patience {
    private static final long A_MOMENT = TimeUnit.MILLISECONDS.toNanos(1);

    /** Something that comes true by itself. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private Patience() {}

    public static void until(Condition condition) throws Exception {
        while (!condition.holds()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("Expected something to come true in time, but it did not");
            }
            LockSupport.parkNanos(A_MOMENT);
        }
    }
}
