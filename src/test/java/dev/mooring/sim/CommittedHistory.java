package dev.mooring.sim;

import dev.mooring.log.Batch;
import dev.mooring.log.EventReader;
import dev.mooring.model.Event;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Checks that acknowledged history is durable (I1). After each step it reads new events from the log: a revision that
 * was visible once must stay in the log, and the World must be the result of its events.
 */
final class CommittedHistory {
    private static final int REMEMBERED = 40;

    /** Receives each event once, in order. */
    @FunctionalInterface
    interface EventObserver {
        void event(Event event, World before, World after);
    }

    private final InvariantViolations violations;
    private final EventObserver observer;
    private final Deque<Event> latestEvents = new ArrayDeque<>();
    private World world = World.EMPTY;

    CommittedHistory(InvariantViolations violations, EventObserver observer) {
        this.violations = violations;
        this.observer = observer;
    }

    World world() {
        return world;
    }

    /** The last events, oldest first. */
    Deque<Event> latestEvents() {
        return latestEvents;
    }

    /** Checks the World that a server currently shows. */
    void observe(StateStore stateStore) {
        World live = stateStore.ledger().world();
        if (live.revision() < world.revision()) {
            violations.report(
                    "I1",
                    "revision " + world.revision() + " was visible, but the log now ends with " + live.revision());
            return;
        }
        if (live.revision() > world.revision()) {
            readNewEvents(stateStore, live.revision());
        }
        if (live.digest() != world.digest()) {
            violations.report(
                    "I1",
                    "the World of revision " + live.revision() + " differs from the result of the events in the log");
        }
    }

    private void readNewEvents(StateStore stateStore, long end) {
        try (EventReader reader = stateStore.log().read(world.revision() + 1)) {
            for (Optional<Batch> batch = reader.next();
                    batch.isPresent() && world.revision() < end;
                    batch = reader.next()) {
                for (Event event : batch.get().events()) {
                    World before = world;
                    world = before.after(event);
                    remember(event);
                    observer.event(event, before, world);
                }
            }
        } catch (IOException | RuntimeException e) {
            violations.report("I1", "the log after revision " + world.revision() + " cannot be read: " + e);
        }
    }

    private void remember(Event event) {
        latestEvents.add(event);
        if (latestEvents.size() > REMEMBERED) {
            latestEvents.remove();
        }
    }
}
