package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.TreeMap;

/**
 * Encodes and decodes a {@link FieldSet} as in {@code managedFields}: an object whose keys are path elements. An
 * element without children is a member; one with children is a member if they include {@link PathElement#SELF}.
 */
final class FieldsV1 {
    private FieldsV1() {}

    static ObjectNode encode(FieldSet set) {
        ObjectNode out = JsonNodeFactory.instance.objectNode();
        fill(out, set);
        return out;
    }

    private static void fill(ObjectNode out, FieldSet set) {
        for (int i = 0; i < set.width(); i++) {
            ObjectNode below = out.putObject(set.element(i));
            FieldSet child = set.child(i);
            if (!child.isEmpty()) {
                if (set.isMember(i)) {
                    below.putObject(PathElement.SELF);
                }
                fill(below, child);
            }
        }
    }

    /** Decodes a set; ignores elements of unknown types. */
    static FieldSet decode(JsonNode encoded) throws UndecodableFieldsException {
        if (encoded.isMissingNode() || encoded.isNull()) {
            return FieldSet.EMPTY;
        }
        if (!encoded.isObject()) {
            throw new UndecodableFieldsException("expected an object of fields");
        }
        FieldSet.Builder level = new FieldSet.Builder();
        String last = "";
        for (Map.Entry<String, JsonNode> each : encoded.properties()) {
            if (each.getKey().equals(PathElement.SELF)) {
                continue;
            }
            String element = PathElement.parse(each.getKey());
            if (element.isEmpty()) {
                continue;
            }
            if (!last.isEmpty() && PathElement.compare(last, element) >= 0) {
                return decodeUnsorted(encoded);
            }
            last = element;
            FieldSet below = decode(each.getValue());
            level.add(element, below.isEmpty() || each.getValue().has(PathElement.SELF), below);
        }
        return level.build();
    }

    /**
     * Decodes a set written by a client in another order, in which an element may occur twice in different notations.
     */
    private static FieldSet decodeUnsorted(JsonNode encoded) throws UndecodableFieldsException {
        Map<String, FieldSet> steps = new TreeMap<>(PathElement::compare);
        for (Map.Entry<String, JsonNode> each : encoded.properties()) {
            String element = each.getKey().equals(PathElement.SELF) ? "" : PathElement.parse(each.getKey());
            if (!element.isEmpty()) {
                FieldSet below = decode(each.getValue());
                FieldSet.Builder one = new FieldSet.Builder();
                one.add(element, below.isEmpty() || each.getValue().has(PathElement.SELF), below);
                steps.merge(element, one.build(), FieldSet::union);
            }
        }
        FieldSet all = FieldSet.EMPTY;
        for (FieldSet step : steps.values()) {
            all = all.union(step);
        }
        return all;
    }
}
