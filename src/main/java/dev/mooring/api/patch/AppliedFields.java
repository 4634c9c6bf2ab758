package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import java.util.Map;
import java.util.Optional;

/**
 * Collects all fields that a value contains, which are the fields that its applier owns: leaves, map keys and list
 * elements. A schema field that only holds other fields is not included itself.
 */
final class AppliedFields {
    private AppliedFields() {}

    static FieldSet of(SchemaType type, JsonNode value) {
        FieldSet.Builder out = new FieldSet.Builder();
        if (value.isObject() && TypeGranularity.isGranularObject(type)) {
            for (Map.Entry<String, JsonNode> field : value.properties()) {
                field(out, type, field.getKey(), field.getValue());
            }
        } else if (value.isArray() && TypeGranularity.isGranularList(type)) {
            Optional<ListItems> items = ListItems.of((ListOf) type, value);
            if (items.isPresent()) {
                items(out, (ListOf) type, items.get());
            }
        }
        return out.build();
    }

    private static void field(FieldSet.Builder out, SchemaType type, String name, JsonNode value) {
        SchemaType below = TypeGranularity.childType(type, name);
        boolean saysNothing = value.isNull() || (value.isObject() && value.isEmpty());
        boolean mentioned = saysNothing || !TypeGranularity.declares(type, name) || !isGranular(below, value);
        out.add(PathElement.field(name), mentioned, of(below, value));
    }

    private static void items(FieldSet.Builder out, ListOf type, ListItems items) {
        for (String step : items.steps()) {
            boolean unique = items.at(step).size() == 1;
            out.add(step, true, unique ? of(type.element(), items.at(step).get(0)) : FieldSet.EMPTY);
        }
    }

    /**
     * Returns whether the parts of the value have owners of their own; a list whose elements cannot be identified is
     * atomic.
     */
    private static boolean isGranular(SchemaType type, JsonNode value) {
        if (TypeGranularity.isGranularList(type) && value.isArray()) {
            return ListItems.of((ListOf) type, value).isPresent();
        }
        return TypeGranularity.isGranularObject(type) && value.isObject();
    }
}
