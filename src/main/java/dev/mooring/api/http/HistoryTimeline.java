package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.model.Change;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.PointInTime;
import dev.mooring.model.Scope;
import dev.mooring.model.SearchOrder;
import dev.mooring.model.StoredObject;
import dev.mooring.world.EventHistory;
import dev.mooring.world.EventHistory.EventCursor;
import dev.mooring.world.EventHistory.RevisionRange;
import dev.mooring.world.Ledger;
import dev.mooring.world.StateStore;
import dev.mooring.world.WorldEvent;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Counts events in equal spans of time. For users who may read all namespaces it finds the revisions at the ends of the
 * spans, so that the cost does not depend on the number of events; for others it counts the newest events that they may
 * see. May read from disk; thread-safe.
 */
final class HistoryTimeline {
    private static final int DEFAULT_BUCKETS = 200;
    private static final int MAX_BUCKETS = 1000;

    /** Events read to count those that a user may see. */
    private static final int MAX_READ = 20_000;

    private static final int MAX_STARTS = 500;

    private final EventHistory events;
    private final Ledger ledger;

    HistoryTimeline(StateStore store) {
        this.events = store.history().events();
        this.ledger = store.ledger();
    }

    static int buckets(QueryParameters query) {
        long buckets = query.number("buckets").orElse(DEFAULT_BUCKETS);
        if (buckets < 1 || buckets > MAX_BUCKETS) {
            throw new StatusException(
                    Status.badRequest("buckets must be from 1 to " + MAX_BUCKETS + ", got " + buckets));
        }
        return (int) buckets;
    }

    ObjectNode read(long from, long to, int buckets, User user, HistoryVisibility visibility) throws IOException {
        ObjectNode timeline = JsonNodeFactory.instance.objectNode();
        timeline.put("kind", "Timeline").put("apiVersion", "mooring.dev/v1");
        long first = Math.max(from, events.oldest());
        long last = Math.min(to, events.newest());
        Optional<WorldEvent> start = first > last ? Optional.empty() : events.at(first);
        Optional<WorldEvent> end = first > last ? Optional.empty() : events.at(last);
        ArrayNode counted = JsonNodeFactory.instance.arrayNode();
        if (start.isPresent() && end.isPresent()) {
            put(start.get(), timeline.putObject("first"));
            put(end.get(), timeline.putObject("last"));
            TimeSpans spans = new TimeSpans(start.get(), end.get(), buckets);
            if (user.grant().isEverywhere()) {
                countAll(spans, counted);
            } else if (countVisible(spans, visibility, counted)) {
                timeline.put("truncated", true);
            }
        }
        timeline.set("buckets", counted);
        timeline.set("starts", starts(first, last, visibility));
        return timeline;
    }

    private static void put(WorldEvent event, ObjectNode to) {
        to.put("revision", event.revision()).put("time", event.event().time().toString());
    }

    /** Equal spans of time between two events. */
    private record TimeSpans(WorldEvent first, WorldEvent last, int count) {
        long start(int number) {
            long from = first.event().time().toEpochMilli();
            long millis = last.event().time().toEpochMilli() - from + 1;
            return from + (millis * number + count - 1) / count;
        }

        int of(Instant time) {
            long from = first.event().time().toEpochMilli();
            long millis = last.event().time().toEpochMilli() - from + 1;
            return (int) ((time.toEpochMilli() - from) * count / millis);
        }
    }

    private void countAll(TimeSpans spans, ArrayNode to) throws IOException {
        long next = spans.first().revision();
        for (int i = 0; i < spans.count(); i++) {
            boolean isLast = i == spans.count() - 1;
            long end = isLast
                    ? spans.last().revision() + 1
                    : events.firstNotBefore(new PointInTime.AtTime(Instant.ofEpochMilli(spans.start(i + 1))));
            if (end > next) {
                add(spans, i, next, end - next, to);
                next = end;
            }
        }
    }

    private static void add(TimeSpans spans, int number, long revision, long count, ArrayNode to) {
        to.addObject()
                .put("revision", revision)
                .put("time", Instant.ofEpochMilli(spans.start(number)).toString())
                .put("events", count);
    }

    /** Counts visible events; returns whether there are too many to count them all. */
    private boolean countVisible(TimeSpans spans, HistoryVisibility visibility, ArrayNode to) throws IOException {
        TreeMap<Integer, long[]> counts = new TreeMap<>();
        int read = 0;
        RevisionRange range =
                new RevisionRange(spans.first().revision(), spans.last().revision(), SearchOrder.NEWEST_FIRST);
        try (EventCursor cursor = events.all(range)) {
            for (Optional<WorldEvent> event = cursor.next();
                    event.isPresent() && read < MAX_READ;
                    event = cursor.next(), read++) {
                if (isVisible(event.get(), visibility)) {
                    long[] count =
                            counts.computeIfAbsent(spans.of(event.get().event().time()), unused -> new long[2]);
                    count[0] = event.get().revision();
                    count[1]++;
                }
            }
        }
        counts.forEach((number, count) -> add(spans, number, count[0], count[1], to));
        return read == MAX_READ;
    }

    private static boolean isVisible(WorldEvent event, HistoryVisibility visibility) throws IOException {
        for (Change change : event.event().changes()) {
            if (visibility.isVisible(change.key(), event.revision())) {
                return true;
            }
        }
        return false;
    }

    /** Returns the starts of the processes of all nodes, which record an Event on their Node. */
    private ArrayNode starts(long first, long last, HistoryVisibility visibility) throws IOException {
        TreeMap<Long, WorldEvent> found = new TreeMap<>();
        for (StoredObject node : ledger.world().list(Scope.resource("nodes"))) {
            ObjectKey key =
                    KubeEvent.starting(KubeEvent.InvolvedObject.of(node)).key();
            RevisionRange range = new RevisionRange(first, last, SearchOrder.NEWEST_FIRST);
            EventCursor cursor = events.ofObject(key, range);
            for (Optional<WorldEvent> event = cursor.next();
                    event.isPresent() && found.size() < MAX_STARTS;
                    event = cursor.next()) {
                long revision = event.get().revision();
                boolean isStart = event.get().event().changes().stream()
                        .anyMatch(change -> change.key().equals(key) && !change.isRemoval());
                if (isStart && visibility.isVisible(key, revision)) {
                    found.put(revision, event.get());
                }
            }
        }
        ArrayNode starts = JsonNodeFactory.instance.arrayNode();
        found.values().forEach(event -> put(event, starts.addObject()));
        return starts;
    }
}
