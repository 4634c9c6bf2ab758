package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import java.util.Map;
import java.util.Optional;

/**
 * All fields that a value mentions: its leaves, the keys of its maps and the elements of its lists. Fields of the schema that
 * only hold others are not mentioned by doing so. This is what an applier owns.
 */
final class FieldsOfValue {
    private FieldsOfValue() {}

    static FieldSet of(Type type, JsonNode value) {
        FieldSet.Builder out = new FieldSet.Builder();
        if (value.isObject() && Shape.isOpenObject(type)) {
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                field(out, type, field.getKey(), field.getValue());
            }
        } else if (value.isArray() && Shape.isOpenList(type)) {
            Optional<ListItems> items = ListItems.of((ListOf) type, value);
            if (items.isPresent()) {
                items(out, (ListOf) type, items.get());
            }
        }
        return out.build();
    }

    private static void field(FieldSet.Builder out, Type type, String name, JsonNode value) {
        Type below = Shape.below(type, name);
        boolean saysNothing = value.isNull() || (value.isObject() && value.isEmpty());
        boolean mentioned = saysNothing || !Shape.declares(type, name) || !isOpen(below, value);
        out.add(PathElement.field(name), mentioned, of(below, value));
    }

    private static void items(FieldSet.Builder out, ListOf type, ListItems items) {
        for (String step : items.steps()) {
            boolean alone = items.at(step).size() == 1;
            out.add(step, true, alone ? of(type.element(), items.at(step).get(0)) : FieldSet.EMPTY);
        }
    }

    /** A list in which elements cannot be told apart is taken as a whole. */
    private static boolean isOpen(Type type, JsonNode value) {
        if (Shape.isOpenList(type) && value.isArray()) {
            return ListItems.of((ListOf) type, value).isPresent();
        }
        return Shape.isOpenObject(type) && value.isObject();
    }
}
