package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.Map;

/**
 * Removes fields from a merged object that the applier applied before and no longer applies, unless another manager
 * owns them. Values that become empty are set to null.
 */
final class ApplyPruner {
    private final Struct type;

    ApplyPruner(Struct type) {
        this.type = type;
    }

    /**
     * @param last fields that the applier owned until now
     * @param owned fields that any manager owns from now on, including the applier's new ones
     */
    JsonNode prune(JsonNode merged, FieldSet last, FieldSet owned) {
        if (last.isEmpty()) {
            return merged;
        }
        FieldSet all = withParents(type, AppliedFields.of(type, merged));
        FieldSet previous = withParents(type, last);
        JsonNode withoutPrevious = remove(type, merged, previous);
        FieldSet others =
                withParents(type, AppliedFields.of(type, withoutPrevious)).union(withParents(type, owned));
        JsonNode withOwned = remove(type, merged, all.difference(others));
        FieldSet kept = withParents(type, AppliedFields.of(type, withOwned));
        // Fields without an owner are not in the set either, so only fields that the applier owned are removed.
        return remove(type, merged, all.difference(kept).intersection(previous));
    }

    /** Adds the schema fields that hold members but are not members themselves. */
    private static FieldSet withParents(SchemaType type, FieldSet set) {
        FieldSet.Builder out = new FieldSet.Builder();
        for (int i = 0; i < set.width(); i++) {
            String step = set.element(i);
            boolean holder = !set.child(i).isEmpty()
                    && PathElement.isField(step)
                    && TypeGranularity.declares(type, PathElement.fieldName(step));
            out.add(
                    step,
                    set.isMember(i) || holder,
                    withParents(TypeGranularity.childTypeAt(type, step), set.child(i)));
        }
        return out.build();
    }

    private static JsonNode remove(SchemaType type, JsonNode value, FieldSet fields) {
        if (value.isObject()) {
            return TypeGranularity.isGranularObject(type) ? removeFields(type, value, fields) : NullNode.instance;
        }
        if (value.isArray()) {
            return TypeGranularity.isGranularList(type) ? removeItems((ListOf) type, value, fields) : NullNode.instance;
        }
        return value;
    }

    private static JsonNode removeFields(SchemaType type, JsonNode object, FieldSet fields) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            String step = PathElement.field(field.getKey());
            FieldSet below = fields.childSet(step);
            if (!fields.has(step)) {
                out.set(
                        field.getKey(),
                        below.isEmpty()
                                ? field.getValue()
                                : remove(TypeGranularity.childType(type, field.getKey()), field.getValue(), below));
            }
        }
        return out.isEmpty() ? NullNode.instance : out;
    }

    private static JsonNode removeItems(ListOf type, JsonNode list, FieldSet fields) {
        ArrayNode out = JsonNodeFactory.instance.arrayNode();
        for (JsonNode item : list) {
            String step = ListItems.problem(type, item).isEmpty() ? ListItems.step(type, item) : "";
            if (step.isEmpty() || !fields.has(step)) {
                FieldSet below = step.isEmpty() ? FieldSet.EMPTY : fields.childSet(step);
                out.add(below.isEmpty() ? item : remove(type.element(), item, below));
            }
        }
        return out.isEmpty() ? NullNode.instance : out;
    }
}
