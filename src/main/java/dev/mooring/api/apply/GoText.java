package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** JSON as Go prints it, since some of Kubernetes' messages carry values in that form. */
final class GoText {
    private GoText() {}

    /** As {@code %v}. */
    static String plain(JsonNode value) {
        if (value.isObject()) {
            return sorted(value).entrySet().stream()
                    .map(field -> field.getKey() + ":" + plain(field.getValue()))
                    .collect(Collectors.joining(" ", "map[", "]"));
        }
        if (value.isArray()) {
            return StreamSupport.stream(value.spliterator(), false)
                    .map(GoText::plain)
                    .collect(Collectors.joining(" ", "[", "]"));
        }
        return value.isNull() ? "<nil>" : value.asText();
    }

    /** As {@code %#v}. */
    static String typed(JsonNode value) {
        if (value.isObject()) {
            return sorted(value).entrySet().stream()
                    .map(field -> quoted(field.getKey()) + ":" + typed(field.getValue()))
                    .collect(Collectors.joining(", ", typeOf(value) + "{", "}"));
        }
        if (value.isArray()) {
            return StreamSupport.stream(value.spliterator(), false)
                    .map(GoText::typed)
                    .collect(Collectors.joining(", ", typeOf(value) + "{", "}"));
        }
        return value.isTextual() ? quoted(value.textValue()) : plain(value);
    }

    /** As {@code %T}. */
    static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> "map[string]interface {}";
            case ARRAY -> "[]interface {}";
            case BOOLEAN -> "bool";
            case NUMBER -> value.isIntegralNumber() ? "int64" : "float64";
            case STRING -> "string";
            default -> "<nil>";
        };
    }

    private static String quoted(String text) {
        StringBuilder out = new StringBuilder();
        PathElement.quote(out, text);
        return out.toString();
    }

    private static Map<String, JsonNode> sorted(JsonNode object) {
        Map<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }
}
