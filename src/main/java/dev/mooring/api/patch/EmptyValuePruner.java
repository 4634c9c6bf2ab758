package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import java.util.Map;

/**
 * Removes empty values. Kubernetes gets this from the Go types it decodes the result into; here it is explicit, so that
 * applying the same configuration again changes nothing.
 */
final class EmptyValuePruner {
    private EmptyValuePruner() {}

    /** Removes empty lists, which have no owner, unless they are atomic. Modifies the configuration. */
    static void dropEmptyLists(SchemaType type, JsonNode wanted) {
        if (wanted.isObject() && TypeGranularity.isGranularObject(type)) {
            wanted.properties().removeIf(field -> {
                SchemaType below = TypeGranularity.childType(type, field.getKey());
                dropEmptyLists(below, field.getValue());
                return TypeGranularity.isGranularList(below)
                        && field.getValue().isArray()
                        && field.getValue().isEmpty();
            });
        } else if (wanted.isArray() && TypeGranularity.isGranularList(type)) {
            wanted.forEach(item -> dropEmptyLists(((ListOf) type).element(), item));
        }
    }

    /**
     * Removes nulls from a merged object: applied nulls, and values that became empty. Of the latter, values that a
     * manager owns themselves stay as empty values. Modifies the object.
     */
    static void dropNulls(SchemaType type, JsonNode merged, JsonNode wanted, FieldSet owned) {
        if (merged instanceof ObjectNode object && TypeGranularity.isGranularObject(type)) {
            object.properties().removeIf(field -> isGone(type, field, wanted, owned));
        } else if (merged instanceof ArrayNode list && TypeGranularity.isGranularList(type)) {
            dropNullItems((ListOf) type, list, owned);
        }
    }

    private static boolean isGone(SchemaType type, Map.Entry<String, JsonNode> field, JsonNode wanted, FieldSet owned) {
        SchemaType below = TypeGranularity.childType(type, field.getKey());
        String step = PathElement.field(field.getKey());
        JsonNode wantedBelow = wanted.path(field.getKey());
        if (!field.getValue().isNull()) {
            dropNulls(below, field.getValue(), wantedBelow, owned.childSet(step));
            return false;
        }
        boolean open = TypeGranularity.isGranularObject(below) || TypeGranularity.isGranularList(below);
        if (wantedBelow.isNull() || !open || !owned.has(step)) {
            return true;
        }
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        field.setValue(TypeGranularity.isGranularObject(below) ? nodes.objectNode() : nodes.arrayNode());
        return false;
    }

    private static void dropNullItems(ListOf type, ArrayNode list, FieldSet owned) {
        for (int i = list.size() - 1; i >= 0; i--) {
            JsonNode item = list.get(i);
            if (item.isNull()) {
                list.remove(i);
            } else if (ListItems.problem(type, item).isEmpty()) {
                dropNulls(type.element(), item, JsonValues.EMPTY_OBJECT, owned.childSet(ListItems.step(type, item)));
            }
        }
    }
}
