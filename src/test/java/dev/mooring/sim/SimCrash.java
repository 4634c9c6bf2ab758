package dev.mooring.sim;

/** The process ends here and now, in the middle of what it does. */
final class SimCrash extends Error {
    private static final long serialVersionUID = 1L;

    SimCrash(String where) {
        super(where, null, false, false);
    }
}
