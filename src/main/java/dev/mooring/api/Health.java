package dev.mooring.api;

import java.util.Optional;

/**
 * The outcome of a health check.
 *
 * @param problem empty when all is well; else what is wrong, in words that may be shown to anyone who can reach the server
 */
public record Health(State state, Optional<String> problem) {
    private static final Health OK = new Health(State.OK, Optional.empty());

    /** How bad it is. */
    public enum State {
        OK,
        /** A part does not do its work; the rest does, and requests are served. */
        DEGRADED,
        /** Nobody should be sent here. */
        FAILING
    }

    public static Health ok() {
        return OK;
    }

    public static Health degraded(String problem) {
        return new Health(State.DEGRADED, Optional.of(problem));
    }

    public static Health failing(String problem) {
        return new Health(State.FAILING, Optional.of(problem));
    }

    public boolean isOk() {
        return state == State.OK;
    }

    /** Whether requests are served all the same. */
    public boolean isServing() {
        return state != State.FAILING;
    }
}
