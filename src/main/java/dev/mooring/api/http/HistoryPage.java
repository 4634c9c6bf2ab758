package dev.mooring.api.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.model.CompactedException;
import dev.mooring.model.SearchOrder;
import dev.mooring.world.EventHistory;
import dev.mooring.world.EventHistory.EventCursor;
import dev.mooring.world.EventHistory.RevisionRange;
import dev.mooring.world.WorldEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * Reads one page of events. A page ends after its limit of items, or when it has read or encoded as much as one request
 * may; the next page continues there. So a page may have few items, or none, and still not be the last. Not
 * thread-safe; may read from disk.
 */
final class HistoryPage {
    private static final int DEFAULT_LIMIT = 500;
    private static final int MAX_LIMIT = 5000;

    /** Events read for one page, whether they match or not. */
    private static final int MAX_READ = 20_000;

    /** Encoded size at which a page ends. */
    private static final int MAX_BYTES = 4 << 20;

    private final EventHistory events;
    private final HistoryFilter filter;
    private final HistoryEncoder encoder;
    private final PageRequest request;
    private final ArrayNode items = JsonNodeFactory.instance.arrayNode();
    private int read;
    private long bytes;

    /** Where the next page continues; empty if there is none. */
    private OptionalLong next = OptionalLong.empty();

    private boolean isTruncated;

    /**
     * The wanted page.
     *
     * @param causes the revision whose causes are wanted, instead of a range
     * @param effects the revision whose effects are wanted, instead of a range
     */
    record PageRequest(
            int limit, SearchOrder order, Optional<Position> position, OptionalLong causes, OptionalLong effects) {
        static PageRequest of(QueryParameters query) {
            long limit = query.number("limit").orElse(0);
            SearchOrder order = switch (query.text("order")) {
                case "", "asc" -> SearchOrder.OLDEST_FIRST;
                case "desc" -> SearchOrder.NEWEST_FIRST;
                default ->
                    throw new StatusException(
                            Status.badRequest("order must be asc or desc, got \"" + query.text("order") + '"'));
            };
            String view = query.text("view");
            if (!view.isEmpty() && !view.equals("summary") && !view.equals("full")) {
                throw new StatusException(Status.badRequest("view must be summary or full, got \"" + view + '"'));
            }
            OptionalLong causes = query.number("causes");
            OptionalLong effects = query.number("effects");
            if (causes.isPresent() && effects.isPresent()) {
                throw new StatusException(Status.badRequest("causes and effects exclude each other"));
            }
            Optional<Position> position = Optional.of(query.text("continue"))
                    .filter(text -> !text.isEmpty())
                    .map(Position::parse);
            return new PageRequest(
                    limit == 0 ? DEFAULT_LIMIT : (int) Math.min(limit, MAX_LIMIT), order, position, causes, effects);
        }

        /** Requests only the newest event. */
        static PageRequest newest() {
            return new PageRequest(
                    1, SearchOrder.NEWEST_FIRST, Optional.empty(), OptionalLong.empty(), OptionalLong.empty());
        }
    }

    /**
     * Where a page begins, as in a {@code continue} token.
     *
     * @param next the first revision of the page
     * @param end the last revision of all pages
     */
    record Position(long next, long end) {
        static Position parse(String token) {
            try {
                String[] parts =
                        new String(Base64.getUrlDecoder().decode(token), StandardCharsets.US_ASCII).split(" ", -1);
                if (parts.length == 2) {
                    return new Position(Long.parseLong(parts[0]), Long.parseLong(parts[1]));
                }
            } catch (IllegalArgumentException e) {
                // reported below
            }
            throw new StatusException(Status.badRequest("continue is not a token of a history list"));
        }

        String token() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString((next + " " + end).getBytes(StandardCharsets.US_ASCII));
        }
    }

    HistoryPage(EventHistory events, HistoryFilter filter, HistoryEncoder encoder, PageRequest request) {
        this.events = events;
        this.filter = filter;
        this.encoder = encoder;
        this.request = request;
    }

    /** Returns whether another page follows. */
    boolean hasMore() {
        return next.isPresent();
    }

    /** Reads the page of a range and returns it as a HistoryList. */
    ObjectNode read(long from, long to) throws IOException {
        long newest = events.newest();
        String token = "";
        if (request.causes().isPresent()) {
            readCauses(request.causes().getAsLong());
        } else if (request.effects().isPresent()) {
            readEffects(request.effects().getAsLong());
        } else {
            RevisionRange range = range(Math.max(1, from), Math.min(to, newest));
            readRange(range);
            long end = request.order() == SearchOrder.OLDEST_FIRST ? range.to() : range.from();
            token = next.isPresent() ? new Position(next.getAsLong(), end).token() : "";
        }
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", "HistoryList").put("apiVersion", "mooring.dev/v1");
        ObjectNode metadata = list.putObject("metadata");
        metadata.put("resourceVersion", Long.toString(newest)).put("continue", token);
        if (events.oldest() > 1) {
            metadata.put("oldestRevision", Long.toString(events.oldest()));
        }
        if (isTruncated) {
            metadata.put("truncated", true);
        }
        list.set("items", items);
        return list;
    }

    private RevisionRange range(long from, long to) {
        if (request.position().isEmpty()) {
            return new RevisionRange(from, to, request.order());
        }
        Position position = request.position().get();
        return request.order() == SearchOrder.OLDEST_FIRST
                ? new RevisionRange(position.next(), Math.min(to, position.end()), request.order())
                : new RevisionRange(Math.max(from, position.end()), position.next(), request.order());
    }

    private void readRange(RevisionRange range) throws IOException {
        try (EventCursor cursor =
                filter.object().map(key -> events.ofObject(key, range)).orElseGet(() -> events.all(range))) {
            for (Optional<WorldEvent> event = cursor.next(); event.isPresent(); event = cursor.next()) {
                if (isFull()) {
                    next = OptionalLong.of(event.get().revision());
                    return;
                }
                add(event.get());
            }
        }
    }

    /** Reads an event and the chain of its causes, newest first. */
    private void readCauses(long revision) throws IOException {
        long wanted = revision;
        while (wanted > 0) {
            Optional<WorldEvent> event = existing(wanted);
            if (event.isEmpty()) {
                return;
            }
            if (isFull()) {
                isTruncated = true;
                return;
            }
            add(event.get());
            long cause = event.get().event().cause().revision();
            wanted = cause < wanted ? cause : 0;
        }
    }

    /** Reads an event and everything that followed from it, in the order of revisions. */
    private void readEffects(long revision) throws IOException {
        TreeSet<Long> pending = new TreeSet<>();
        pending.add(revision);
        while (!pending.isEmpty()) {
            long cause = pending.pollFirst();
            Optional<WorldEvent> event = existing(cause);
            if (event.isEmpty()) {
                continue;
            }
            if (isFull()) {
                isTruncated = true;
                return;
            }
            add(event.get());
            try (EventCursor effects = events.causedBy(cause)) {
                for (Optional<WorldEvent> effect = effects.next(); effect.isPresent(); effect = effects.next()) {
                    read++;
                    if (effect.get().event().cause().revision() == cause) {
                        pending.add(effect.get().revision());
                    }
                    if (isFull() || pending.size() > MAX_LIMIT) {
                        isTruncated = true;
                        break;
                    }
                }
            }
        }
    }

    private Optional<WorldEvent> existing(long revision) throws IOException {
        try {
            return events.at(revision);
        } catch (CompactedException e) {
            isTruncated = true;
            return Optional.empty();
        }
    }

    private boolean isFull() {
        return items.size() >= request.limit() || read >= MAX_READ || bytes >= MAX_BYTES;
    }

    private void add(WorldEvent event) throws IOException {
        read++;
        Optional<ObjectNode> item = encoder.encode(event);
        if (item.isPresent()) {
            items.add(item.get());
            bytes += item.get().toString().length();
        }
    }
}
