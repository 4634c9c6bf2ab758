package dev.mooring.cli;

import dev.mooring.cli.supervise.VerticleListener;
import dev.mooring.model.Notice;
import java.time.Duration;

/**
 * Tells, as Events of the Node, which verticles die, which keep dying, and which are well again: {@code kubectl describe node} and {@code kubectl get
 * events} show what part of the work is not done. Any thread; never blocks.
 */
final class VerticleNews implements VerticleListener {
    /** So many deaths without a time of health in between are no accident any more. */
    static final int KEEPS_DYING = 3;

    private final NodeEvents events;

    VerticleNews(NodeEvents events) {
        this.events = events;
    }

    @Override
    public void died(String verticle, int deathsInARow, String cause, Duration nextTry) {
        events.tell(
                Notice.Type.WARNING, "VerticleDied", "verticle " + verticle + " died and is started again: " + cause);
        if (deathsInARow == KEEPS_DYING) {
            events.tell(
                    Notice.Type.WARNING,
                    "VerticleDegraded",
                    "verticle " + verticle + " keeps dying: what it does waits until it stays up; see /readyz?verbose");
        }
    }

    @Override
    public void recovered(String verticle, int deathsBefore) {
        if (deathsBefore >= KEEPS_DYING) {
            events.tell(Notice.Type.NORMAL, "VerticleRecovered", "verticle " + verticle + " stays up again");
        }
    }
}
