package dev.mooring.replay.explain;

import dev.mooring.log.EventLog;
import dev.mooring.log.EventReader;
import dev.mooring.log.EventTerm;
import dev.mooring.log.RevisionReader;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.SearchOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Access to the events of one object. Calls may read from disk. Thread-safe. */
@FunctionalInterface
public interface PastEvents {
    /** Knows no events, for a World without a log. */
    PastEvents NONE = (key, upTo, limit) -> List.of();

    /**
     * Returns the newest events that changed an object, newest first.
     *
     * @param upTo later events are ignored
     * @param limit maximum number of events
     * @throws dev.mooring.model.CompactedException if none of them is retained
     */
    List<Event> newestOf(ObjectKey key, long upTo, int limit) throws IOException;

    /** Returns the events in a log, found through its index. */
    static PastEvents of(EventLog log) {
        return (key, upTo, limit) -> {
            List<Event> events = new ArrayList<>();
            RevisionReader revisions = log.find(EventTerm.object(key), 1, upTo, SearchOrder.NEWEST_FIRST);
            OptionalLong next = revisions.next();
            while (next.isPresent() && events.size() < limit) {
                try (EventReader reader = log.read(next.getAsLong())) {
                    reader.next()
                            .map(batch -> batch.events().get(0))
                            .filter(event -> event.changes().stream()
                                    .anyMatch(change -> change.key().equals(key)))
                            .ifPresent(events::add);
                }
                next = revisions.next();
            }
            return events;
        };
    }
}
