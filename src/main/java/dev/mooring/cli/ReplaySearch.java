package dev.mooring.cli;

import dev.mooring.model.Event;
import dev.mooring.replay.Recording;
import dev.mooring.replay.Redaction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A search for events by type, actor, object and text. Immutable.
 *
 * @param conditions all must hold
 * @param texts all must occur in the event; contents of Secrets are not searched
 * @param limit of the events to show
 */
record ReplaySearch(List<ReplayBreakpoint> conditions, List<String> texts, int limit) {
    static final String USAGE = "TEXT|type=T|actor=A|object=TYPE/NAME|limit=N ...";
    private static final int DEFAULT_LIMIT = 50;
    private static final String OBJECT = "object=";
    private static final String LIMIT = "limit=";

    /** @throws IllegalArgumentException if an object has an unknown type; the message is for users */
    static ReplaySearch parse(List<String> words, String namespace, ObjectNames names) {
        int limit = DEFAULT_LIMIT;
        List<ReplayBreakpoint> conditions = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        for (String word : words) {
            if (word.matches("(type|actor)=.+")) {
                List<String> condition = List.of(word.split("=", 2));
                conditions.add(ReplayBreakpoint.parse(condition, null, names));
            } else if (word.startsWith(OBJECT)) {
                conditions.add(ReplayBreakpoint.parse(List.of(word.substring(OBJECT.length())), namespace, names));
            } else if (word.matches(LIMIT + "[1-9]\\d{0,6}")) {
                limit = Integer.parseInt(word.substring(LIMIT.length()));
            } else {
                texts.add(word);
            }
        }
        return new ReplaySearch(List.copyOf(conditions), List.copyOf(texts), limit);
    }

    /** Returns the first events that match, oldest first; one more than the limit if there are more. */
    List<Event> find(Recording recording, ObjectNames names) throws IOException {
        List<ReplayBreakpoint.EventMatcher> matchers = conditions.stream()
                .map(each -> each.matcher(key -> Optional.empty()))
                .toList();
        List<Event> found = new ArrayList<>();
        recording.scan(recording.first(), event -> {
            if (matchers.stream().allMatch(each -> each.matches(event))
                    && texts.stream().allMatch(text -> contains(event, text, names))) {
                found.add(event);
            }
            return found.size() <= limit;
        });
        return found;
    }

    private static boolean contains(Event event, String text, ObjectNames names) {
        Stream<String> head =
                Stream.of(event.type(), event.actor(), event.cause().request());
        Stream<String> keys = event.changes().stream().map(each -> names.shortened(each.key()));
        return Stream.concat(head, keys).anyMatch(each -> each.contains(text))
                || event.changes().stream()
                        .anyMatch(each -> Redaction.redact(each.object())
                                .tree()
                                .toString()
                                .contains(text));
    }
}
