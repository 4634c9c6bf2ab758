package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The elements of a set or of a keyed list, by path element. Immutable. */
final class ListItems {
    private final List<String> order;
    private final Map<String, List<JsonNode>> items;

    private ListItems(List<String> order, Map<String, List<JsonNode>> items) {
        this.order = order;
        this.items = items;
    }

    /** @return empty if an element has no path element; such a list is atomic */
    static Optional<ListItems> of(ListOf type, JsonNode list) {
        if (list == null) {
            return Optional.of(new ListItems(List.of(), Map.of()));
        }
        List<String> order = new ArrayList<>(list.size());
        Map<String, List<JsonNode>> items = new LinkedHashMap<>();
        for (JsonNode item : list) {
            if (problem(type, item).isPresent()) {
                return Optional.empty();
            }
            String element = step(type, item);
            order.add(element);
            items.computeIfAbsent(element, first -> new ArrayList<>(1)).add(item);
        }
        return Optional.of(new ListItems(order, items));
    }

    /** Returns one path element per list element, in list order; elements with the same keys share it. */
    List<String> order() {
        return order;
    }

    Iterable<String> steps() {
        return items.keySet();
    }

    boolean has(String step) {
        return items.containsKey(step);
    }

    /** Returns the list elements at a path element: several if keys are duplicated, empty if there is none. */
    List<JsonNode> at(String step) {
        return items.getOrDefault(step, List.of());
    }

    /** Returns the path element of a list element that has no {@link #problem}. */
    static String step(ListOf type, JsonNode item) {
        if (type.kind() == ListKind.SET) {
            return PathElement.value(item);
        }
        if (type.keys().size() == 1) {
            String key = type.keys().get(0);
            return PathElement.key(key, key(type, item, key).orElseThrow());
        }
        Map<String, JsonNode> keys = new TreeMap<>();
        type.keys().forEach(key -> keys.put(key, key(type, item, key).orElseThrow()));
        return PathElement.key(keys);
    }

    /** Returns why a list element has no path element, with Kubernetes' message; empty if it has one. */
    static Optional<String> problem(ListOf type, JsonNode item) {
        if (type.kind() == ListKind.SET) {
            return Optional.ofNullable(
                    item.isObject()
                            ? "associative list without keys has an element that's a map type"
                            : item.isArray()
                                    ? "not supported: associative list with lists as elements"
                                    : item.isNull()
                                            ? "associative list without keys has an element that's an explicit null"
                                            : null);
        }
        if (!item.isObject()) {
            return Optional.of("associative list with keys may not have "
                    + (item.isNull() ? "a null element" : "non-map elements"));
        }
        for (String key : type.keys()) {
            if (key(type, item, key).isEmpty()) {
                return Optional.of("associative list with keys has an element that omits key field \"" + key
                        + "\" (and doesn't have default value)");
            }
        }
        return Optional.empty();
    }

    private static Optional<JsonNode> key(ListOf type, JsonNode item, String name) {
        JsonNode given = item.get(name);
        if (given != null || !(type.element() instanceof Struct struct)) {
            return Optional.ofNullable(given);
        }
        return struct.field(name).flatMap(field -> field.defaultText().map(text -> defaultValue(field, text)));
    }

    private static JsonNode defaultValue(SchemaField field, String text) {
        return field.type() == Scalar.INT32 || field.type() == Scalar.INT64
                ? IntNode.valueOf(Integer.parseInt(text))
                : TextNode.valueOf(text);
    }
}
