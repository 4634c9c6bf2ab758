package dev.mooring.server;

import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import java.time.Duration;

/**
 * Records Events on the Node when verticles die, keep dying, and recover, so that {@code kubectl describe node} and
 * {@code kubectl get events} show which part of the server is down. Thread-safe; never blocks.
 */
final class VerticleEventRecorder implements Supervisor.VerticleListener {
    /** Number of consecutive deaths that are reported as a persistent failure. */
    static final int KEEPS_DYING = 3;

    private final NodeEvents events;

    VerticleEventRecorder(NodeEvents events) {
        this.events = events;
    }

    @Override
    public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
        events.record(
                KubeEvent.Type.WARNING,
                EventReasons.VERTICLE_DIED,
                "verticle " + verticle + " died and is being restarted: " + cause);
        if (deathsInARow == KEEPS_DYING) {
            events.record(
                    KubeEvent.Type.WARNING,
                    EventReasons.VERTICLE_DEGRADED,
                    "verticle " + verticle + " keeps dying; its work waits until it stays up; see /readyz?verbose");
        }
    }

    @Override
    public void recovered(String verticle, int deathsBefore) {
        if (deathsBefore >= KEEPS_DYING) {
            events.record(
                    KubeEvent.Type.NORMAL,
                    EventReasons.VERTICLE_RECOVERED,
                    "verticle " + verticle + " is stable again");
        }
    }
}
