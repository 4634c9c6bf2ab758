package dev.mooring.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Polls a condition that has no notification. The time limit of a test interrupts it. */
public final class ConditionPoller {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A condition to wait for. */
    public interface Condition {
        boolean holds() throws Exception;
    }

    private ConditionPoller() {}

    public static void until(Condition condition) throws Exception {
        while (!condition.holds()) {
            if (Thread.interrupted()) {
                throw new InterruptedException("Interrupted while waiting for a condition");
            }
            LockSupport.parkNanos(INTERVAL_NANOS);
        }
    }
}
