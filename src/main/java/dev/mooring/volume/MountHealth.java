package dev.mooring.volume;

/**
 * Health of a mounted volume. Immutable.
 *
 * @param message what was found and what to do next; "" if healthy
 * @param raw output of the probe
 */
public record MountHealth(State state, String message, String raw) {
    public static final MountHealth HEALTHY = new MountHealth(State.OK, "", "");

    /** Health state. */
    public enum State {
        OK,
        /** The server responds, but the file handle is stale; only a new mount helps. */
        STALE,
        /** The server does not respond; the mount recovers when it does. */
        UNREACHABLE,
        /** The server responds with an error. */
        FAILED
    }

    public boolean isHealthy() {
        return state == State.OK;
    }
}
