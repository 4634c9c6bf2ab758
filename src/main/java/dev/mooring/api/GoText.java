package dev.mooring.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Formats strings and JSON like Go, and names their Go types, for Kubernetes' messages. */
public final class GoText {
    /** Go's type of objects. */
    public static final String OBJECT = "map[string]interface {}";

    private static final char FIRST_PRINTABLE = 0x20;
    private static final char DELETE = 0x7f;

    private GoText() {}

    /** Formats a value like {@code %v}. */
    public static String plain(JsonNode value) {
        if (value.isObject()) {
            return sorted(value).entrySet().stream()
                    .map(field -> field.getKey() + ":" + plain(field.getValue()))
                    .collect(Collectors.joining(" ", "map[", "]"));
        }
        if (value.isArray()) {
            return plain((Iterable<JsonNode>) value);
        }
        return value.isNull() ? "<nil>" : value.asText();
    }

    public static String plain(Iterable<JsonNode> list) {
        return StreamSupport.stream(list.spliterator(), false)
                .map(GoText::plain)
                .collect(Collectors.joining(" ", "[", "]"));
    }

    /** Formats a value like {@code %#v}. */
    public static String typed(JsonNode value) {
        if (value.isObject()) {
            return sorted(value).entrySet().stream()
                    .map(field -> quote(field.getKey()) + ":" + typed(field.getValue()))
                    .collect(Collectors.joining(", ", typeOf(value) + "{", "}"));
        }
        if (value.isArray()) {
            return StreamSupport.stream(value.spliterator(), false)
                    .map(GoText::typed)
                    .collect(Collectors.joining(", ", typeOf(value) + "{", "}"));
        }
        return value.isTextual() ? quote(value.textValue()) : plain(value);
    }

    /** Formats the type of a value like {@code %T}. */
    public static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT -> OBJECT;
            case ARRAY -> "[]interface {}";
            case BOOLEAN -> "bool";
            case NUMBER -> value.isIntegralNumber() ? "int64" : "float64";
            case STRING -> "string";
            default -> "<nil>";
        };
    }

    /** Quotes a string like {@code %q}. */
    public static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < FIRST_PRINTABLE || c == DELETE) {
                        quoted.append(String.format("\\x%02x", (int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }

    private static Map<String, JsonNode> sorted(JsonNode object) {
        Map<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }
}
