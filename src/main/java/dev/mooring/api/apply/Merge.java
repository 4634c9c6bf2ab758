package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Lays what is applied over what is there. Removes nothing; a field that is applied as null becomes null. The result shares parts
 * with both.
 */
final class Merge {
    private Merge() {}

    /** @param live what is there, or null; the same for what is applied; not both */
    static JsonNode of(Type type, JsonNode live, JsonNode applied) {
        if (applied == null) {
            return live;
        }
        if (Values.isEmpty(live) || Values.isEmpty(applied)) {
            return live != null && isOpen(type, live) && isOpen(type, applied) && !live.isEmpty() ? live : applied;
        }
        if (Shape.isOpenObject(type) && live.isObject() && applied.isObject()) {
            return fields(type, live, applied);
        }
        if (Shape.isOpenList(type) && live.isArray() && applied.isArray()) {
            Optional<ListItems> there = ListItems.of((ListOf) type, live);
            Optional<ListItems> wanted = ListItems.of((ListOf) type, applied);
            if (there.isPresent() && wanted.isPresent()) {
                return items((ListOf) type, live, there.get(), wanted.get());
            }
        }
        return applied;
    }

    /** Whether an empty value of the type adds nothing to one that is not empty. Null adds nothing to a whole either. */
    private static boolean isOpen(Type type, JsonNode value) {
        return (Shape.isOpenObject(type) && Shape.fitsObject(value))
                || (Shape.isOpenList(type) && Shape.fitsList(value));
    }

    private static ObjectNode fields(Type type, JsonNode live, JsonNode applied) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : live.properties()) {
            Type below = Shape.below(type, field.getKey());
            out.set(field.getKey(), of(below, field.getValue(), applied.get(field.getKey())));
        }
        for (Map.Entry<String, JsonNode> field : applied.properties()) {
            if (!live.has(field.getKey())) {
                out.set(field.getKey(), field.getValue());
            }
        }
        return out;
    }

    /**
     * Elements that are in both come in the order in which they are applied; those that are only there stay behind the element
     * they were behind; those that are only applied come before the next one that is applied.
     */
    private static ArrayNode items(ListOf type, JsonNode live, ListItems there, ListItems wanted) {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        List<String> old = there.order();
        List<String> fresh = wanted.order();
        Deque<String> shared = new ArrayDeque<>();
        fresh.stream().filter(there::has).forEach(shared::add);
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
                    out.add(of(
                            type.element(), alone(there, next), wanted.at(next).get(0)));
                    done.add(next);
                    shared.removeFirstOccurrence(next);
                    i += next.equals(step) ? 1 : 0;
                }
            }
        }
        return out;
    }

    /** Whether this element of the live list stands before another one that is due first: its turn comes with the applied ones. */
    private static boolean isEarly(String step, Deque<String> shared, List<String> due) {
        return !step.isEmpty()
                && !due.isEmpty()
                && !step.equals(due.get(0))
                && !shared.isEmpty()
                && !step.equals(shared.peek());
    }

    /** Elements with the same keys cannot be merged with: what is applied takes their place. */
    private static JsonNode alone(ListItems there, String step) {
        List<JsonNode> items = there.at(step);
        return items.size() == 1 ? items.get(0) : null;
    }
}
