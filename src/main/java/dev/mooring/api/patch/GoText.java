package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** JSON as Go prints it with {@code %v}, and the names of Go's types for it: Kubernetes' messages are made of them. */
final class GoText {
    /** The type of objects. */
    static final String OBJECT = "map[string]interface {}";

    private GoText() {}

    /** {@code map[image:busybox name:c ports:[map[containerPort:80]]]}. */
    static String of(JsonNode value) {
        if (value.isObject()) {
            Map<String, String> sorted = new TreeMap<>();
            value.properties().forEach(field -> sorted.put(field.getKey(), of(field.getValue())));
            List<String> fields = new ArrayList<>();
            sorted.forEach((name, text) -> fields.add(name + ':' + text));
            return "map[" + String.join(" ", fields) + ']';
        }
        if (value.isArray()) {
            return of((Iterable<JsonNode>) value);
        }
        return value.isNull() ? "<nil>" : value.asText();
    }

    static String of(Iterable<JsonNode> list) {
        List<String> elements = new ArrayList<>();
        list.forEach(element -> elements.add(of(element)));
        return '[' + String.join(" ", elements) + ']';
    }

    static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> OBJECT;
            case ARRAY -> "[]interface {}";
            case BOOLEAN -> "bool";
            case NUMBER -> value.isIntegralNumber() ? "int64" : "float64";
            case NULL, MISSING -> "<nil>";
            default -> "string";
        };
    }
}
