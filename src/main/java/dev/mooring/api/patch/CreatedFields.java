package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Encodes the fields of a new object as FieldsV1 in one pass. Equivalent to a {@link Comparison} with an empty object,
 * but without intermediate sets, because creates are the most frequent writes.
 */
final class CreatedFields {
    private CreatedFields() {}

    static ObjectNode of(Struct type, ObjectNode object, UnownedFields unowned) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        fields(out, type, object, unowned.top(), true);
        return out;
    }

    /** @param wasThere whether the object that holds the fields existed, empty, before the create */
    private static void fields(
            ObjectNode out, SchemaType type, JsonNode object, Set<String> skipped, boolean wasThere) {
        for (String name : sortedNames(object)) {
            JsonNode value = object.get(name);
            if (value.isNull() || skipped.contains(name)) {
                continue;
            }
            SchemaType below = TypeGranularity.childType(type, name);
            String step = PathElement.field(name);
            boolean alwaysThere = wasThere && TypeGranularity.isAlwaysPresent(type, name);
            if (alwaysThere && value.isObject() && TypeGranularity.isGranularObject(below)) {
                ObjectNode part = JsonNodeFactory.instance.objectNode();
                fields(part, below, value, skipped.isEmpty() ? skipped : UnownedFields.skippedBelow(name), true);
                if (!part.isEmpty()) {
                    out.set(step, part);
                }
            } else if (!alwaysThere || !value.isEmpty()) {
                value(out, step, below, value);
                if (alwaysThere) {
                    ((ObjectNode) out.get(step)).remove(PathElement.SELF);
                }
            }
        }
    }

    private static void value(ObjectNode out, String step, SchemaType type, JsonNode value) {
        ObjectNode part = out.putObject(step);
        if (!value.isContainerNode() || value.isEmpty()) {
            return;
        }
        if (value.isObject() && TypeGranularity.isGranularObject(type)) {
            part.putObject(PathElement.SELF);
            fields(part, type, value, Set.of(), false);
        } else if (value.isArray() && TypeGranularity.isGranularList(type)) {
            Optional<ListItems> items = ListItems.of((ListOf) type, value);
            if (items.isPresent()) {
                part.putObject(PathElement.SELF);
                items(part, (ListOf) type, items.get());
            }
        }
    }

    private static void items(ObjectNode out, ListOf type, ListItems items) {
        String[] steps = items.order().toArray(new String[0]);
        Arrays.sort(steps, PathElement::compare);
        String last = "";
        for (String step : steps) {
            if (!step.equals(last)) {
                if (items.at(step).size() == 1) {
                    value(out, step, type.element(), items.at(step).get(0));
                } else {
                    out.putObject(step);
                }
            }
            last = step;
        }
    }

    private static String[] sortedNames(JsonNode object) {
        String[] names = new String[object.size()];
        int size = 0;
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            names[size++] = field.getKey();
        }
        Arrays.sort(names);
        return names;
    }
}
