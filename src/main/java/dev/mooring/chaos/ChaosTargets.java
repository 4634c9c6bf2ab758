package dev.mooring.chaos;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The verticles of this process. Implemented by their supervisor. Thread-safe; never blocks. */
public interface ChaosTargets {
    /** Returns all verticles in order of their start. */
    CompletionStage<List<ChaosTarget>> all();

    CompletionStage<Void> kill(String verticle, String reason);

    CompletionStage<Void> pause(String verticle, Duration length, String reason);

    CompletionStage<Void> resumeAll();

    /**
     * State of a verticle for the chaos report. Immutable.
     *
     * @param state starting, up, ending, waiting, paused or stopped
     * @param lastCause of its last death
     * @param until next start, if it is waiting or paused
     */
    record ChaosTarget(
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
}
