package dev.mooring.log;

import dev.mooring.model.Event;
import java.util.List;

/**
 * Events that become durable together.
 *
 * @param events consecutive revisions, at least one
 * @param digest the digest of the World after the last event; every replay verifies it
 */
public record Batch(List<Event> events, long digest) {
    public Batch {
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("Batch must have at least one event");
        }
    }

    public long firstRevision() {
        return events.get(0).revision();
    }

    /** Returns the part of this batch from a revision on; the batch itself if that is all of it. */
    public Batch from(long revision) {
        return revision <= firstRevision()
                ? this
                : new Batch(events.subList((int) (revision - firstRevision()), events.size()), digest);
    }

    public long lastRevision() {
        return events.get(events.size() - 1).revision();
    }
}
