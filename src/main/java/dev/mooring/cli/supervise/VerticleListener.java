package dev.mooring.cli.supervise;

import java.time.Duration;

/** Is told how verticles fare. Runs on the supervisor's context, so it must not block; what it throws is logged and changes nothing. */
public interface VerticleListener {
    /**
     * One died and will be started again.
     *
     * @param deathsInARow this one included
     */
    void died(String verticle, int deathsInARow, String cause, Duration nextTry);

    /** One that had died stayed up for long enough that the next death counts as the first again. */
    void recovered(String verticle, int deathsBefore);
}
