package dev.mooring.cli;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Change;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A condition on events at which {@code mooring replay} stops: the type or actor of an event, or a change of an object,
 * optionally to a state in which fields have given values. Immutable.
 *
 * @param text as the user wrote it
 * @param prefixes of the keys of the objects; empty for any object
 * @param fields conditions on the object after the change; an event matches if they did not hold before it
 */
record ReplayBreakpoint(String text, Predicate<Event> event, List<String> prefixes, List<FieldCondition> fields) {
    static final String USAGE =
            "break type VolumeBound | break actor admin | break pvc/data [-n NS] [phase=Bound] | break pvc"
                    + " phase!=Bound";

    /** Parents of a field that is named without its path. */
    private static final List<String> PARENTS = List.of("", "status.", "spec.", "metadata.");

    /** A comparison of a field with a text. */
    record FieldCondition(String field, String value, boolean equal) {
        static FieldCondition parse(String text) {
            int at = text.indexOf('=');
            boolean unequal = at > 0 && text.charAt(at - 1) == '!';
            int end = unequal ? at - 1 : at;
            if (end < 1) {
                throw new IllegalArgumentException(
                        "Conditions must be FIELD=VALUE or FIELD!=VALUE, got \"" + text + '"');
            }
            return new FieldCondition(text.substring(0, end), text.substring(at + 1), !unequal);
        }

        boolean holds(JsonNode object) {
            for (String parent : PARENTS) {
                JsonNode found = object;
                for (String name : (parent + field).split("\\.", -1)) {
                    found = found.path(name);
                }
                if (!found.isMissingNode()) {
                    return value.equals(found.asText()) == equal;
                }
            }
            return value.isEmpty() == equal;
        }
    }

    static ReplayBreakpoint parse(List<String> words, String namespace, ObjectNames names) {
        String text = String.join(" ", words) + (namespace == null ? "" : " -n " + namespace);
        if (words.isEmpty()) {
            throw new IllegalArgumentException("Missing condition; use: " + USAGE);
        }
        if (words.size() == 2 && words.get(0).equals("type")) {
            return new ReplayBreakpoint(text, each -> each.type().equals(words.get(1)), List.of(), List.of());
        }
        if (words.size() == 2 && words.get(0).equals("actor")) {
            return new ReplayBreakpoint(text, each -> each.actor().equals(words.get(1)), List.of(), List.of());
        }
        return new ReplayBreakpoint(
                text,
                each -> true,
                names.prefixes(words.get(0), namespace),
                words.stream().skip(1).map(FieldCondition::parse).toList());
    }

    /** Returns a matcher for one run. */
    EventMatcher matcher(Function<ObjectKey, Optional<StoredObject>> before) {
        return new EventMatcher(before);
    }

    /** Matches the events of one run, which must be passed in order. Not thread-safe. */
    final class EventMatcher {
        private final Function<ObjectKey, Optional<StoredObject>> before;
        private final Map<ObjectKey, Boolean> held = new HashMap<>();

        /** @param before the objects before the first event */
        EventMatcher(Function<ObjectKey, Optional<StoredObject>> before) {
            this.before = before;
        }

        boolean matches(Event occurred) {
            if (!event.test(occurred)) {
                return false;
            }
            List<Change> concerned = new ArrayList<>(occurred.changes());
            concerned.removeIf(each -> !concerns(each.key()));
            if (fields.isEmpty()) {
                return !concerned.isEmpty();
            }
            boolean matched = false;
            for (Change each : concerned) {
                boolean now = !each.isRemoval() && holds(each.object());
                Boolean was = held.put(each.key(), now);
                matched |= now
                        && !(was == null
                                ? before.apply(each.key()).filter(this::holds).isPresent()
                                : was);
            }
            return matched;
        }

        private boolean holds(StoredObject object) {
            return fields.stream().allMatch(each -> each.holds(object.tree()));
        }
    }

    private boolean concerns(ObjectKey key) {
        return prefixes.isEmpty()
                || prefixes.stream()
                        .anyMatch(prefix -> key.text().equals(prefix)
                                || (prefix.endsWith("/") && key.text().startsWith(prefix)));
    }
}
