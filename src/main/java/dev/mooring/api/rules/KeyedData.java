package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;

/** What ConfigMaps and Secrets have in common: keys that become files, not too much data, and a switch that freezes it. Stateless. */
final class KeyedData {
    static final int BYTES_MAX = 1024 * 1024;

    private KeyedData() {}

    static void keys(JsonNode data, String path, Violations violations) {
        data.fieldNames()
                .forEachRemaining(
                        key -> LabelRules.invalid(path + '[' + key + ']', key, Names.configMapKey(key), violations));
    }

    /** How many bytes of text. */
    static long textBytes(JsonNode data) {
        long bytes = 0;
        for (JsonNode value : data) {
            bytes += Fields.bytes(value.asText(""));
        }
        return bytes;
    }

    /** How many bytes there are behind the base64. */
    static long decodedBytes(JsonNode data) {
        long bytes = 0;
        for (JsonNode value : data) {
            String text = value.asText("");
            int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
            bytes += text.length() * 3L / 4 - padding;
        }
        return bytes;
    }

    /** Once it is immutable it stays so, and so does what is in these fields. */
    static void frozen(ObjectNode next, ObjectNode before, Violations violations, String... fields) {
        if (!Fields.isTrue(before, "immutable")) {
            return;
        }
        String detail = "field is immutable when `immutable` is set";
        if (!Fields.isTrue(next, "immutable")) {
            violations.forbidden("immutable", detail);
        }
        for (String field : fields) {
            JsonNode now = Fields.get(next, field);
            JsonNode was = Fields.get(before, field);
            if (!(now.isEmpty() && was.isEmpty()) && !now.equals(was)) {
                violations.forbidden(field, detail);
            }
        }
    }
}
