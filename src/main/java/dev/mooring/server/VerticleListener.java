package dev.mooring.server;

import java.time.Duration;

/**
 * Receives deaths and recoveries of verticles. Called on the supervisor's context, so it must not block; exceptions are
 * logged and ignored.
 */
public interface VerticleListener {
    /**
     * A verticle died and will be restarted.
     *
     * @param deathsInARow consecutive deaths, including this one
     */
    void died(String verticle, int deathsInARow, String cause, Duration nextTry);

    /** A verticle stayed up long enough that the next death counts as the first again. */
    void recovered(String verticle, int deathsBefore);
}
