package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.volume.VolumeException;
import java.util.Map;
import java.util.TreeMap;

/** Formats fields of a Pod in the form of Kubernetes' downward API. Stateless. */
final class FieldValue {
    private FieldValue() {}

    /**
     * Returns the value of a field.
     *
     * @param path such as {@code metadata.labels['app']}. A label or annotation that the Pod does not have is empty.
     */
    static String of(JsonNode metadata, String path) throws VolumeException {
        int bracket = path.endsWith("']") ? path.indexOf("['") : -1;
        if (bracket > 0) {
            String key = path.substring(bracket + 2, path.length() - 2);
            return switch (path.substring(0, bracket)) {
                case "metadata.annotations" ->
                    metadata.path("annotations").path(key).asText("");
                case "metadata.labels" -> metadata.path("labels").path(key).asText("");
                default ->
                    throw VolumeException.clean(
                            "InvalidField", "fieldPath \"" + path + "\" does not support subscript");
            };
        }
        return switch (path) {
            case "metadata.annotations" -> lines(metadata.path("annotations"));
            case "metadata.labels" -> lines(metadata.path("labels"));
            case "metadata.name" -> metadata.path("name").asText("");
            case "metadata.namespace" -> metadata.path("namespace").asText("");
            case "metadata.uid" -> metadata.path("uid").asText("");
            default -> throw VolumeException.clean("InvalidField", "unsupported fieldPath: " + path);
        };
    }

    /** Formats a map as sorted {@code key="value"} lines, without a final newline. */
    private static String lines(JsonNode map) {
        Map<String, String> sorted = new TreeMap<>();
        map.properties()
                .forEach(each -> sorted.put(each.getKey(), each.getValue().asText("")));
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, String> each : sorted.entrySet()) {
            if (lines.length() > 0) {
                lines.append('\n');
            }
            lines.append(each.getKey()).append('=');
            quote(each.getValue(), lines);
        }
        return lines.toString();
    }

    /** Quotes like Go's {@code %q}, because readers of these files unquote accordingly. */
    private static void quote(String text, StringBuilder quoted) {
        quoted.append('"');
        text.codePoints().forEach(c -> {
            switch (c) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case 0x07 -> quoted.append("\\a");
                case '\b' -> quoted.append("\\b");
                case '\f' -> quoted.append("\\f");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                case 0x0b -> quoted.append("\\v");
                default -> {
                    if (isPrintable(c)) {
                        quoted.appendCodePoint(c);
                    } else {
                        quoted.append(escaped(c));
                    }
                }
            }
        });
        quoted.append('"');
    }

    private static String escaped(int c) {
        if (c < 0x80) {
            return String.format("\\x%02x", c);
        }
        if (Character.getType(c) == Character.SURROGATE) {
            return "\\ufffd";
        }
        return c < 0x10000 ? String.format("\\u%04x", c) : String.format("\\U%08x", c);
    }

    /**
     * Returns whether Go's {@code %q} prints the character as it is: letters, marks, numbers, punctuation, symbols and
     * the ASCII space.
     */
    private static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
