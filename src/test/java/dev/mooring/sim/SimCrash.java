package dev.mooring.sim;

/** Crash of the simulated process within a task. */
final class SimCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimCrash(String where) {
        super(where, null, false, false);
    }
}
