package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.model.JsonValues;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Merges an applied configuration into the live object. Removes nothing; a field that is applied as null becomes null.
 * The result shares subtrees with both.
 */
final class Merge {
    private Merge() {}

    /** @param live live value or null; {@code applied} may also be null, but not both */
    static JsonNode merge(SchemaType type, JsonNode live, JsonNode applied) {
        if (applied == null) {
            return live;
        }
        if (JsonValues.isEmpty(live) || JsonValues.isEmpty(applied)) {
            return live != null && isGranular(type, live) && isGranular(type, applied) && !live.isEmpty()
                    ? live
                    : applied;
        }
        if (TypeGranularity.isGranularObject(type) && live.isObject() && applied.isObject()) {
            return fields(type, live, applied);
        }
        if (TypeGranularity.isGranularList(type) && live.isArray() && applied.isArray()) {
            Optional<ListItems> liveItems = ListItems.of((ListOf) type, live);
            Optional<ListItems> wanted = ListItems.of((ListOf) type, applied);
            if (liveItems.isPresent() && wanted.isPresent()) {
                return items((ListOf) type, live, liveItems.get(), wanted.get());
            }
        }
        return applied;
    }

    /** Returns whether the value is merged part by part, so that an empty or absent one leaves the other unchanged. */
    private static boolean isGranular(SchemaType type, JsonNode value) {
        return (TypeGranularity.isGranularObject(type) && TypeGranularity.isObjectOrAbsent(value))
                || (TypeGranularity.isGranularList(type) && TypeGranularity.isListOrAbsent(value));
    }

    private static ObjectNode fields(SchemaType type, JsonNode live, JsonNode applied) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : live.properties()) {
            SchemaType below = TypeGranularity.childType(type, field.getKey());
            out.set(field.getKey(), merge(below, field.getValue(), applied.get(field.getKey())));
        }
        for (Map.Entry<String, JsonNode> field : applied.properties()) {
            if (!live.has(field.getKey())) {
                out.set(field.getKey(), field.getValue());
            }
        }
        return out;
    }

    /**
     * Merges two lists. Elements in both take the applied order; elements that are only live stay behind their
     * predecessor; elements that are only applied come before the next applied one.
     */
    private static ArrayNode items(ListOf type, JsonNode live, ListItems liveItems, ListItems wanted) {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        List<String> old = liveItems.order();
        List<String> fresh = wanted.order();
        Deque<String> shared = new ArrayDeque<>();
        fresh.stream().filter(liveItems::has).forEach(shared::add);
        Set<String> done = new HashSet<>();
        int i = 0;
        int j = 0;
        while (i < old.size() || j < fresh.size()) {
            String step = i < old.size() ? old.get(i) : "";
            if (!step.isEmpty() && !wanted.has(step)) {
                out.add(live.get(i++));
            } else if (isEarly(step, shared, fresh.subList(j, fresh.size()))) {
                i++;
            } else {
                i += done.contains(step) ? 1 : 0;
                if (j < fresh.size()) {
                    String next = fresh.get(j++);
                    out.add(merge(
                            type.element(),
                            alone(liveItems, next),
                            wanted.at(next).get(0)));
                    done.add(next);
                    shared.removeFirstOccurrence(next);
                    i += next.equals(step) ? 1 : 0;
                }
            }
        }
        return out;
    }

    /**
     * Returns whether this live element precedes another one that must come first; it is then emitted with the applied
     * elements.
     */
    private static boolean isEarly(String step, Deque<String> shared, List<String> due) {
        return !step.isEmpty()
                && !due.isEmpty()
                && !step.equals(due.get(0))
                && !shared.isEmpty()
                && !step.equals(shared.peek());
    }

    /** Returns the live element to merge with; null for duplicate keys, where the applied element replaces them. */
    private static JsonNode alone(ListItems liveItems, String step) {
        List<JsonNode> items = liveItems.at(step);
        return items.size() == 1 ? items.get(0) : null;
    }
}
