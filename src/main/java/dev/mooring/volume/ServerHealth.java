package dev.mooring.volume;

import java.time.Instant;
import java.util.Optional;

/**
 * Circuit breaker state of a remote server as of its last operation. Immutable.
 *
 * @param failures number of consecutive operations without a response
 * @param since time of the first of these failures, if any
 * @param nextProbe time of the next probe, if the breaker is not closed
 * @param lastError the last failure; "" if the server responds
 */
public record ServerHealth(
        String server,
        State state,
        int failures,
        Optional<Instant> since,
        Optional<Instant> nextProbe,
        String lastError) {
    /** State of the circuit breaker. */
    public enum State {
        /** All operations contact the server. */
        CLOSED,
        /** No operation contacts the server until the next probe. */
        OPEN,
        /** One operation probes the server; the others are denied until it ends. */
        HALF_OPEN
    }

    static ServerHealth fresh(String server) {
        return new ServerHealth(server, State.CLOSED, 0, Optional.empty(), Optional.empty(), "");
    }
}
