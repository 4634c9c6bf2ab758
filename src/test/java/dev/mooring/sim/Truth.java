package dev.mooring.sim;

import dev.mooring.log.Batch;
import dev.mooring.log.EventReader;
import dev.mooring.model.Event;
import dev.mooring.world.Spine;
import dev.mooring.world.World;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * All that was ever shown to anybody, as somebody knows it who forgets nothing (I1). After each step it reads on in the log: what has been shown once
 * must be there for ever, and the World must be what its events make of it.
 */
final class Truth {
    private static final int REMEMBERED = 40;

    /** Is told of each event, once and in order. */
    @FunctionalInterface
    interface Witness {
        void event(Event event, World before, World after);
    }

    private final Findings findings;
    private final Witness witness;
    private final Deque<Event> latest = new ArrayDeque<>();
    private World known = World.EMPTY;

    Truth(Findings findings, Witness witness) {
        this.findings = findings;
        this.witness = witness;
    }

    World known() {
        return known;
    }

    /** The last events, oldest first. */
    Deque<Event> latest() {
        return latest;
    }

    /** Looks at what a server shows now. */
    void observe(Spine spine) {
        World live = spine.ledger().world();
        if (live.revision() < known.revision()) {
            findings.report(
                    "I1", "revision " + known.revision() + " was shown, and now the log ends with " + live.revision());
            return;
        }
        if (live.revision() > known.revision()) {
            readOn(spine, live.revision());
        }
        if (live.digest() != known.digest()) {
            findings.report(
                    "I1", "the World of revision " + live.revision() + " is not what the events in the log make of it");
        }
    }

    private void readOn(Spine spine, long end) {
        try (EventReader reader = spine.log().read(known.revision() + 1)) {
            for (Optional<Batch> batch = reader.next();
                    batch.isPresent() && known.revision() < end;
                    batch = reader.next()) {
                for (Event event : batch.get().events()) {
                    World before = known;
                    known = before.after(event);
                    remember(event);
                    witness.event(event, before, known);
                }
            }
        } catch (IOException | RuntimeException e) {
            findings.report("I1", "the log after revision " + known.revision() + " cannot be read: " + e);
        }
    }

    private void remember(Event event) {
        latest.add(event);
        if (latest.size() > REMEMBERED) {
            latest.remove();
        }
    }
}
