package dev.mooring.server;

import dev.mooring.api.MemoryLimits;
import dev.mooring.world.WorldRestore;

/**
 * Divides the heap, so that nothing that users can make the server store exceeds it: a fixed part for the program, and
 * shares of the rest. The unassigned share is headroom for the garbage collector.
 *
 * @param heap maximum heap of the JVM ({@code -Xmx})
 */
record MemoryBudget(long heap) {
    private static final long MI = 1L << 20;

    /** Heap of the program without any objects: measured 26 MiB. */
    private static final long OWN = 32 * MI;

    static MemoryBudget ofThisProcess() {
        return new MemoryBudget(Runtime.getRuntime().maxMemory());
    }

    private long sixteenths(int count) {
        return Math.max(heap - OWN, heap / 4) / 16 * count;
    }

    /** Returns the limit for World objects, above which user writes are refused. */
    long userObjects() {
        return sixteenths(5);
    }

    /** Returns the limit for World objects, including the reserve for controllers and nodes. */
    long objects() {
        return sixteenths(6);
    }

    /** Returns the limit for one namespace, regardless of its quota, so that one namespace cannot use everything. */
    long namespaceObjects(long quota) {
        return Math.min(quota, userObjects() / 2);
    }

    /** Returns the limit for past Worlds, excluding what they share with the current one. */
    long pastWorlds() {
        return sixteenths(2);
    }

    /** Returns the limit for recent events, regardless of the setting. */
    long recentEvents(long setting) {
        return Math.min(setting, sixteenths(1));
    }

    /** Returns the limits for responses to slow clients. */
    MemoryLimits responses() {
        return new MemoryLimits(sixteenths(2), sixteenths(1));
    }

    /**
     * Returns the object size up to which a server starts: more than {@link #objects}, so that objects can be deleted.
     */
    long restorable() {
        return sixteenths(10);
    }

    /** Returns the error for objects larger than {@link #restorable}. */
    MooringException tooSmall(WorldRestore.WorldTooLargeException cause) {
        long needed = OWN + cause.bytes() / 6 * 16;
        return new MooringException(
                ExitCode.FAILED,
                "The objects in the log do not fit into the heap of " + heap / MI
                        + " MiB: they need at least " + cause.bytes() / MI
                        + " MiB; next: start with MOORING_OPTS=-Xmx" + (needed / MI + 1)
                        + "m or more. No acknowledged write is lost",
                cause);
    }
}
