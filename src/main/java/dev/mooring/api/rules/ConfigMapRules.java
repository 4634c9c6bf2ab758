package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.kind.Violations;

/** Rules of ConfigMaps. Stateless; any thread. */
public final class ConfigMapRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode data = Fields.get(object, "data");
        JsonNode binary = Fields.get(object, "binaryData");
        KeyedData.keys(data, "data", violations);
        KeyedData.keys(binary, "binaryData", violations);
        disjoint(data, "data", binary, "binaryData", violations);
        disjoint(binary, "binaryData", data, "data", violations);
        if (KeyedData.textBytes(data) + KeyedData.decodedBytes(binary) > KeyedData.BYTES_MAX) {
            // Kubernetes writes the path of the whole object so.
            violations.tooLong("[]", KeyedData.BYTES_MAX);
        }
    }

    private static void disjoint(JsonNode one, String path, JsonNode other, String name, Violations violations) {
        one.fieldNames().forEachRemaining(key -> {
            if (other.has(key)) {
                violations.invalid(path + '[' + key + ']', key, "duplicate of key present in " + name);
            }
        });
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        KeyedData.frozen(next, before, violations, "data", "binaryData");
    }
}
