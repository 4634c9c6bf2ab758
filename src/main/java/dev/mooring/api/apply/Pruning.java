package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.Struct;
import java.util.Map;

/**
 * Removes from a merged object what its applier had applied before and no longer does, unless somebody else owns it. Parts that
 * lose all they had become null on the way.
 */
final class Pruning {
    private final Struct type;

    Pruning(Struct type) {
        this.type = type;
    }

    /**
     * @param last what the applier owned until now
     * @param owned what anybody owns from now on, the applier with what it applies now
     */
    JsonNode prune(JsonNode merged, FieldSet last, FieldSet owned) {
        if (last.isEmpty()) {
            return merged;
        }
        FieldSet all = withHolders(type, FieldsOfValue.of(type, merged));
        FieldSet ours = withHolders(type, last);
        JsonNode withoutOurs = remove(type, merged, ours);
        FieldSet others = withHolders(type, FieldsOfValue.of(type, withoutOurs)).union(withHolders(type, owned));
        JsonNode withOwned = remove(type, merged, all.difference(others));
        FieldSet kept = withHolders(type, FieldsOfValue.of(type, withOwned));
        // Fields nobody owns are not in the set either: only what was ours may go.
        return remove(type, merged, all.difference(kept).intersection(ours));
    }

    /** With the fields of the schema that hold members, which are not members for that alone. */
    private static FieldSet withHolders(Type type, FieldSet set) {
        FieldSet.Builder out = new FieldSet.Builder();
        for (int i = 0; i < set.width(); i++) {
            String step = set.element(i);
            boolean holder = !set.child(i).isEmpty()
                    && PathElement.isField(step)
                    && Shape.declares(type, PathElement.fieldName(step));
            out.add(step, set.isMember(i) || holder, withHolders(Shape.belowStep(type, step), set.child(i)));
        }
        return out.build();
    }

    private static JsonNode remove(Type type, JsonNode value, FieldSet fields) {
        if (value.isObject()) {
            return Shape.isOpenObject(type) ? removeFields(type, value, fields) : NullNode.instance;
        }
        if (value.isArray()) {
            return Shape.isOpenList(type) ? removeItems((ListOf) type, value, fields) : NullNode.instance;
        }
        return value;
    }

    private static JsonNode removeFields(Type type, JsonNode object, FieldSet fields) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String step = PathElement.field(field.getKey());
            FieldSet below = fields.below(step);
            if (!fields.has(step)) {
                out.set(
                        field.getKey(),
                        below.isEmpty()
                                ? field.getValue()
                                : remove(Shape.below(type, field.getKey()), field.getValue(), below));
            }
        }
        return out.isEmpty() ? NullNode.instance : out;
    }

    private static JsonNode removeItems(ListOf type, JsonNode list, FieldSet fields) {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        for (JsonNode item : list) {
            String step = ListItems.problem(type, item).isEmpty() ? ListItems.step(type, item) : "";
            if (step.isEmpty() || !fields.has(step)) {
                FieldSet below = step.isEmpty() ? FieldSet.EMPTY : fields.below(step);
                out.add(below.isEmpty() ? item : remove(type.element(), item, below));
            }
        }
        return out.isEmpty() ? NullNode.instance : out;
    }
}
