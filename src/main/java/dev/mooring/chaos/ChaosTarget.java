package dev.mooring.chaos;

import java.time.Instant;
import java.util.Optional;

/**
 * State of a verticle for the chaos report. Immutable.
 *
 * @param state starting, up, ending, waiting, paused or stopped
 * @param lastCause of its last death
 * @param until next start, if it is waiting or paused
 */
public record ChaosTarget(
        String name,
        String state,
        long restarts,
        int deathsInARow,
        Optional<String> lastCause,
        Optional<Instant> until) {

    boolean canBeKilled() {
        return state.equals("up") || state.equals("starting");
    }

    boolean isPaused() {
        return state.equals("paused");
    }
}
