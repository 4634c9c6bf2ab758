package dev.mooring.chaos;

import java.time.Instant;
import java.util.Optional;

/**
 * A verticle, as far as chaos is concerned. Immutable.
 *
 * @param state in one word: starting, up, ending, waiting, paused, stopped
 * @param lastCause of its last death
 * @param until when it is started again, if it waits or is paused
 */
public record Victim(
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
