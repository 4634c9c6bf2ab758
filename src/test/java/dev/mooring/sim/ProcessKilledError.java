package dev.mooring.sim;

/** Unwinds a simulated thread whose process was killed. */
public final class ProcessKilledError extends Error {
    private static final long serialVersionUID = 1L;

    ProcessKilledError() {
        super("the process was killed", null, false, false);
    }
}
