package dev.mooring.volume.nfs;

import java.time.Instant;
import java.util.Optional;

/**
 * What this node thinks of an NFS server, as of its last operation. Immutable.
 *
 * @param failures how many operations in a row it did not answer
 * @param since when the first of these failed, if any did
 * @param nextProbe when it is asked again, if it is not asked by everybody
 * @param lastError what happened the last time it did not answer; "" if it does
 */
public record ServerHealth(
        String server,
        State state,
        int failures,
        Optional<Instant> since,
        Optional<Instant> nextProbe,
        String lastError) {
    /** The words of a circuit breaker. */
    public enum State {
        /** Everybody may ask it. */
        CLOSED,
        /** Nobody asks it until the next probe. */
        OPEN,
        /** One asks it, the others wait for the outcome. */
        HALF_OPEN
    }

    static ServerHealth fresh(String server) {
        return new ServerHealth(server, State.CLOSED, 0, Optional.empty(), Optional.empty(), "");
    }
}
