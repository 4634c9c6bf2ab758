package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules that ConfigMaps and Secrets share: keys that are valid file names, a maximum size, and immutability. Stateless.
 */
final class KeyedDataRules {
    static final int BYTES_MAX = 1024 * 1024;

    private KeyedDataRules() {}

    static void keys(JsonNode data, String path, Violations violations) {
        data.fieldNames()
                .forEachRemaining(key ->
                        LabelRules.invalid(path + '[' + key + ']', key, NameSyntax.configMapKey(key), violations));
    }

    /** Returns the total size of the text in bytes. */
    static long textBytes(JsonNode data) {
        long bytes = 0;
        for (JsonNode value : data) {
            bytes += JsonFields.bytes(value.asText(""));
        }
        return bytes;
    }

    /** Returns the total decoded size of base64 data. */
    static long decodedBytes(JsonNode data) {
        long bytes = 0;
        for (JsonNode value : data) {
            String text = value.asText("");
            int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
            bytes += text.length() * 3L / 4 - padding;
        }
        return bytes;
    }

    /** Requires that an immutable object stays immutable, and that these fields do not change. */
    static void validateImmutable(ObjectNode next, ObjectNode before, Violations violations, String... fields) {
        if (!JsonFields.isTrue(before, "immutable")) {
            return;
        }
        String detail = "field is immutable when `immutable` is set";
        if (!JsonFields.isTrue(next, "immutable")) {
            violations.forbidden("immutable", detail);
        }
        for (String field : fields) {
            JsonNode now = JsonFields.get(next, field);
            JsonNode was = JsonFields.get(before, field);
            if (!(now.isEmpty() && was.isEmpty()) && !now.equals(was)) {
                violations.forbidden(field, detail);
            }
        }
    }
}
