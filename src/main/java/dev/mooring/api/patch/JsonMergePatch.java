package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * JSON merge patch (RFC 7386): objects are merged field by field, null removes a field, any other value is replaced.
 */
public final class JsonMergePatch {
    private JsonMergePatch() {}

    /**
     * Returns the patched value, which shares no node with the arguments.
     *
     * @throws PatchException if the patch is too deep
     */
    public static JsonNode apply(JsonNode original, JsonNode patch) {
        return patch.isObject() ? merge(original.deepCopy(), patch, 1) : patch.deepCopy();
    }

    /**
     * Merges a patch; modifies the target if it is an object, and returns its replacement, usually the target itself.
     */
    private static JsonNode merge(JsonNode target, JsonNode patch, int depth) {
        if (!patch.isObject()) {
            return patch.deepCopy();
        }
        StrategicMergePatch.requireShallow(depth);
        ObjectNode object = target instanceof ObjectNode found ? found : JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : patch.properties()) {
            String name = field.getKey();
            if (field.getValue().isNull()) {
                object.remove(name);
            } else {
                object.set(name, merge(object.path(name), field.getValue(), depth + 1));
            }
        }
        return object;
    }
}
