package dev.mooring.cli.supervise;

import java.time.Instant;
import java.util.Optional;

/**
 * How a verticle is. Immutable.
 *
 * @param restarts since the process started
 * @param deathsInARow without a time of health in between
 * @param lastCause what the last death came from, if there was one
 * @param until when a verticle that waits or is paused is started
 */
public record ChildReport(
        String name,
        Phase phase,
        long restarts,
        int deathsInARow,
        Optional<String> lastCause,
        Optional<Instant> until) {

    /** Where a verticle is in its life. */
    public enum Phase {
        STARTING,
        UP,
        /** It is dead, and what is left of it is being stopped. */
        ENDING,
        /** For its next start. */
        WAITING,
        /** Stopped for a while, because somebody wants to see what happens without it. */
        PAUSED,
        /** For good. */
        STOPPED
    }

    /** Whether there is anything to kill. */
    public boolean isAlive() {
        return phase == Phase.STARTING || phase == Phase.UP;
    }
}
