package dev.mooring.api;

import java.util.Optional;

/**
 * The result of a health check.
 *
 * @param problem empty if the check passes; else a message that is safe to show to any client that can reach the server
 */
public record HealthResult(State state, Optional<String> problem) {
    private static final HealthResult OK = new HealthResult(State.OK, Optional.empty());

    /** Severity of a result. */
    public enum State {
        OK,
        /** One component does not work; the others do, and requests are served. */
        DEGRADED,
        /** The process must not receive requests. */
        FAILING
    }

    public static HealthResult ok() {
        return OK;
    }

    public static HealthResult degraded(String problem) {
        return new HealthResult(State.DEGRADED, Optional.of(problem));
    }

    public static HealthResult failing(String problem) {
        return new HealthResult(State.FAILING, Optional.of(problem));
    }

    public boolean isOk() {
        return state == State.OK;
    }

    /** Returns whether requests are still served. */
    public boolean isServing() {
        return state != State.FAILING;
    }
}
