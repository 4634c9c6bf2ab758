package dev.mooring.sim;

/** The process is gone in which this was being done. */
public final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
        super("the process is gone", null, false, false);
    }
}
