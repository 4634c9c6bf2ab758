package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import java.util.Map;

/**
 * What becomes of parts in which there is nothing. Kubernetes leaves that to the Go types it reads the result into; here the
 * object itself has to be such that applying the same again changes nothing.
 */
final class Emptiness {
    private Emptiness() {}

    /** Lists without elements say nothing and belong to nobody, unless they are taken as a whole. Changes the configuration. */
    static void dropEmptyLists(Type type, JsonNode wanted) {
        if (wanted.isObject() && Shape.isOpenObject(type)) {
            wanted.properties().removeIf(field -> {
                Type below = Shape.below(type, field.getKey());
                dropEmptyLists(below, field.getValue());
                return Shape.isOpenList(below)
                        && field.getValue().isArray()
                        && field.getValue().isEmpty();
            });
        } else if (wanted.isArray() && Shape.isOpenList(type)) {
            wanted.forEach(item -> dropEmptyLists(((ListOf) type).element(), item));
        }
    }

    /**
     * Takes nulls out of a merged object: those that were applied, and the parts that lost all they had. Of the latter, those that
     * somebody owns as such stay, empty. Changes the object.
     */
    static void dropNulls(Type type, JsonNode merged, JsonNode wanted, FieldSet owned) {
        if (merged instanceof ObjectNode object && Shape.isOpenObject(type)) {
            object.properties().removeIf(field -> isGone(type, field, wanted, owned));
        } else if (merged instanceof ArrayNode list && Shape.isOpenList(type)) {
            dropNullItems((ListOf) type, list, owned);
        }
    }

    private static boolean isGone(Type type, Map.Entry<String, JsonNode> field, JsonNode wanted, FieldSet owned) {
        Type below = Shape.below(type, field.getKey());
        String step = PathElement.field(field.getKey());
        JsonNode wantedBelow = wanted.path(field.getKey());
        if (!field.getValue().isNull()) {
            dropNulls(below, field.getValue(), wantedBelow, owned.below(step));
            return false;
        }
        boolean open = Shape.isOpenObject(below) || Shape.isOpenList(below);
        if (wantedBelow.isNull() || !open || !owned.has(step)) {
            return true;
        }
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        field.setValue(Shape.isOpenObject(below) ? nodes.objectNode() : nodes.arrayNode());
        return false;
    }

    private static void dropNullItems(ListOf type, ArrayNode list, FieldSet owned) {
        for (int i = list.size() - 1; i >= 0; i--) {
            JsonNode item = list.get(i);
            if (item.isNull()) {
                list.remove(i);
            } else if (ListItems.problem(type, item).isEmpty()) {
                dropNulls(type.element(), item, Values.NOTHING, owned.below(ListItems.step(type, item)));
            }
        }
    }
}
