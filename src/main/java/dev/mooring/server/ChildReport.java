package dev.mooring.server;

import java.time.Instant;
import java.util.Optional;

/**
 * State of a supervised verticle. Immutable.
 *
 * @param restarts since the process started
 * @param deathsInARow consecutive deaths without a healthy period
 * @param lastCause cause of the last death, if any
 * @param until start time of a waiting or paused verticle
 */
public record ChildReport(
        String name,
        VerticlePhase phase,
        long restarts,
        int deathsInARow,
        Optional<String> lastCause,
        Optional<Instant> until) {

    /** Phase of a supervised verticle. */
    public enum VerticlePhase {
        STARTING,
        UP,
        /** Dead; its deployment is being stopped. */
        ENDING,
        /** Waiting for the next start. */
        WAITING,
        /** Stopped for a while on request. */
        PAUSED,
        /** Stopped permanently. */
        STOPPED
    }

    /** Returns whether there is a deployment to kill. */
    public boolean isAlive() {
        return phase == VerticlePhase.STARTING || phase == VerticlePhase.UP;
    }
}
