package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Rules of ConfigMaps. Stateless; thread-safe. */
public final class ConfigMapRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode data = JsonFields.get(object, "data");
        JsonNode binary = JsonFields.get(object, "binaryData");
        KeyedDataRules.keys(data, "data", violations);
        KeyedDataRules.keys(binary, "binaryData", violations);
        disjoint(data, "data", binary, "binaryData", violations);
        disjoint(binary, "binaryData", data, "data", violations);
        if (KeyedDataRules.textBytes(data) + KeyedDataRules.decodedBytes(binary) > KeyedDataRules.BYTES_MAX) {
            // Kubernetes' path of the whole object.
            violations.tooLong("[]", KeyedDataRules.BYTES_MAX);
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
        KeyedDataRules.validateImmutable(next, before, violations, "data", "binaryData");
    }
}
