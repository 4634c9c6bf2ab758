package dev.mooring.log;

import java.util.List;

/**
 * Events that become durable together.
 *
 * @param events consecutive revisions, at least one
 * @param digest the digest of the World after the last of them; every replay is compared with it
 */
public record Batch(List<Event> events, long digest) {
    public Batch {
        events = List.copyOf(events);
        if (events.isEmpty()) {
            throw new IllegalArgumentException("Expected a batch of at least one event, but it is empty");
        }
    }

    public long firstRevision() {
        return events.get(0).revision();
    }

    public long lastRevision() {
        return events.get(events.size() - 1).revision();
    }
}
