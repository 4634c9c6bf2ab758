package dev.mooring.api.patch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Json;
import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/**
 * A path element as text in the form of FieldsV1: {@code f:name} (a field), <code>k:{"name":"c"}</code> (a list element
 * by keys), {@code v:"x"} (a set element), {@code i:0} (an element by index). The text is canonical, so that equal
 * elements have equal texts and path sets need no element objects.
 */
final class PathElement {
    /** Among the children of a path: the path itself. */
    static final String SELF = ".";

    private PathElement() {}

    static String field(String name) {
        return "f:" + name;
    }

    static boolean isField(String element) {
        return element.charAt(0) == 'f';
    }

    static boolean isKey(String element) {
        return element.charAt(0) == 'k';
    }

    /** Returns the name in a field element. */
    static String fieldName(String element) {
        return element.substring(2);
    }

    static String value(JsonNode scalar) {
        StringBuilder text = new StringBuilder("v:");
        append(text, scalar);
        return text.toString();
    }

    static String key(Map<String, JsonNode> keysInOrder) {
        StringBuilder text = new StringBuilder("k:{");
        for (Map.Entry<String, JsonNode> key : keysInOrder.entrySet()) {
            if (text.length() > 3) {
                text.append(',');
            }
            quote(text, key.getKey());
            text.append(':');
            append(text, key.getValue());
        }
        return text.append('}').toString();
    }

    /** Returns the element for a single key, the most common case, without building a map. */
    static String key(String name, JsonNode value) {
        StringBuilder text = new StringBuilder("k:{");
        quote(text, name);
        text.append(':');
        append(text, value);
        return text.append('}').toString();
    }

    /**
     * Converts an element written by a client to canonical form.
     *
     * @return empty text if its type is unknown and it must be ignored
     */
    static String parse(String text) throws UndecodableFieldsException {
        if (text.length() < 2) {
            throw new UndecodableFieldsException("key must be 2 characters long");
        }
        if (text.charAt(1) != ':') {
            throw new UndecodableFieldsException("missing colon: " + text);
        }
        return switch (text.charAt(0)) {
            case 'f' -> text;
            case 'v' -> isPlainValue(text) ? text : value(json(text));
            case 'k' -> parseKey(text);
            case 'i' -> parseIndex(text);
            default -> "";
        };
    }

    private static String parseIndex(String text) throws UndecodableFieldsException {
        try {
            return "i:" + Integer.parseInt(text.substring(2));
        } catch (NumberFormatException notANumber) {
            throw new UndecodableFieldsException("parsing " + text + ": invalid syntax", notANumber);
        }
    }

    private static String parseKey(String text) throws UndecodableFieldsException {
        JsonNode keys = json(text);
        if (!keys.isObject()) {
            throw new UndecodableFieldsException("expected an object of keys: " + text);
        }
        Map<String, JsonNode> sorted = new TreeMap<>();
        keys.properties().forEach(key -> sorted.put(key.getKey(), key.getValue()));
        return key(sorted);
    }

    private static JsonNode json(String text) throws UndecodableFieldsException {
        try {
            JsonNode read = Json.SINGLE_VALUE.readTree(text.substring(2));
            if (read == null || read.isMissingNode()) {
                throw new UndecodableFieldsException("unexpected end of " + text);
            }
            return read;
        } catch (JsonProcessingException notJson) {
            throw new UndecodableFieldsException("reading " + text, notJson);
        }
    }

    /** Returns whether the text is a quoted string with only one possible notation. */
    private static boolean isPlainValue(String text) {
        int last = text.length() - 1;
        if (last < 3 || text.charAt(2) != '"' || text.charAt(last) != '"') {
            return false;
        }
        for (int i = 3; i < last; i++) {
            char c = text.charAt(i);
            boolean plain = isBetween('a', c, 'z') || isBetween('A', c, 'Z') || isBetween('-', c, '9') || c == '_';
            if (!plain) {
                return false;
            }
        }
        return true;
    }

    private static boolean isBetween(char first, char c, char last) {
        return first <= c && c <= last;
    }

    /** Formats an element for messages: {@code .name}, {@code [name="c"]}, {@code [="x"]}, {@code [0]}. */
    static String format(String element) {
        return switch (element.charAt(0)) {
            case 'f' -> "." + fieldName(element);
            case 'v' -> "[=" + element.substring(2) + "]";
            case 'i' -> "[" + element.substring(2) + "]";
            default -> formatKey(element);
        };
    }

    private static String formatKey(String element) {
        StringBuilder text = new StringBuilder("[");
        try {
            for (Map.Entry<String, JsonNode> key : json(element).properties()) {
                text.append(text.length() > 1 ? "," : "").append(key.getKey()).append('=');
                append(text, key.getValue());
            }
        } catch (UndecodableFieldsException impossible) {
            throw new IllegalStateException("Path element is not canonical: " + element, impossible);
        }
        return text.append(']').toString();
    }

    /**
     * Compares elements in the order of FieldsV1: fields, keys, values, indexes; numbers by value, texts by character.
     */
    static int compare(String left, String right) {
        int ranks = rank(left.charAt(0)) - rank(right.charAt(0));
        if (ranks != 0) {
            return ranks;
        }
        return left.charAt(0) == 'f' ? left.compareTo(right) : compareJson(left, right);
    }

    private static int rank(char kind) {
        return "fkvi".indexOf(kind);
    }

    private static int compareJson(String left, String right) {
        int common = Math.min(left.length(), right.length());
        int token = 2;
        boolean quoted = false;
        int at = 2;
        for (; at < common && left.charAt(at) == right.charAt(at); at++) {
            char c = left.charAt(at);
            if (c == '"' && left.charAt(at - 1) != '\\') {
                quoted = !quoted;
            } else if (!quoted && (c == ':' || c == ',' || c == '{')) {
                token = at + 1;
            }
        }
        if (left.equals(right)) {
            return 0;
        }
        if (quoted && at < common) {
            return textRank(left.charAt(at)) - textRank(right.charAt(at));
        }
        int kinds = valueRank(left, token) - valueRank(right, token);
        if (kinds != 0 || valueRank(left, token) != 0) {
            return kinds != 0 ? kinds : left.compareTo(right);
        }
        int sizes = number(left, token).compareTo(number(right, token));
        return sizes != 0 ? sizes : left.compareTo(right);
    }

    /** Ranks a character; the end of the text sorts before every character. */
    private static int textRank(char c) {
        return c == '"' ? -1 : c;
    }

    private static int valueRank(String element, int token) {
        if (token >= element.length()) {
            return -1;
        }
        char c = element.charAt(token);
        return c == '-' || isBetween('0', c, '9') ? 0 : c == '"' ? 1 : 2;
    }

    private static BigDecimal number(String element, int token) {
        int end = token;
        while (end < element.length() && element.charAt(end) != ',' && element.charAt(end) != '}') {
            end++;
        }
        return new BigDecimal(element.substring(token, end));
    }

    private static void append(StringBuilder text, JsonNode value) {
        if (value.isTextual()) {
            quote(text, value.textValue());
        } else {
            text.append(value);
        }
    }

    /** Quotes a string like Go's encoder, which also escapes HTML characters. */
    static void quote(StringBuilder text, String raw) {
        text.append('"');
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c == '\n') {
                text.append("\\n");
            } else if (c == '\r') {
                text.append("\\r");
            } else if (c == '\t') {
                text.append("\\t");
            } else if (c < ' ' || c == '<' || c == '>' || c == '&') {
                text.append(String.format("\\u%04x", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
