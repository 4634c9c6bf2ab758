package dev.mooring.api.protobuf;

import dev.mooring.api.protobuf.Message.Field;
import dev.mooring.api.protobuf.Message.Shape;
import dev.mooring.api.protobuf.Message.Value;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringTokenizer;

/** Messages by name. Immutable once parsed; any thread. */
final class Messages {
    /** How types that are one value in JSON look on the wire. */
    private static final String WRAPPERS = """
        time: 1 seconds int64, 2 nanos int32
        microTime: 1 seconds int64, 2 nanos int32
        quantity: 1 string string
        intOrString: 1 type int64, 2 intVal int32, 3 strVal string
        json: 1 raw bytes?
        strings: 1 items [string]
        """;

    private final Map<String, Message> byName = new HashMap<>();

    private Messages() {}

    /**
     * Reads a table: the name of a message and a colon, then its fields, each with number, name in JSON and type. The type is a scalar or
     * the name of a message; {@code T?} is one that may be there and zero, {@code [T]} a list, {@code {T}} a map from texts, {@code <T>} a
     * message whose fields are those of the one around it.
     *
     * @throws IllegalStateException if the table is wrong
     */
    static Messages parse(String table) {
        String text = WRAPPERS + table;
        Messages messages = new Messages();
        for (StringTokenizer words = words(text); words.hasMoreTokens(); ) {
            String word = words.nextToken();
            if (isName(word)) {
                Message message = new Message(word.substring(0, word.length() - 1));
                if (messages.byName.put(message.name(), message) != null) {
                    throw new IllegalStateException("Expected one message " + message.name() + ", but found two");
                }
            }
        }
        Optional<Message> current = Optional.empty();
        for (StringTokenizer words = words(text); words.hasMoreTokens(); ) {
            String word = words.nextToken();
            if (isName(word)) {
                current = messages.get(word.substring(0, word.length() - 1));
            } else {
                current.orElseThrow().add(Integer.parseInt(word), messages.field(words.nextToken(), words.nextToken()));
            }
        }
        return messages;
    }

    Optional<Message> get(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    private Field field(String name, String type) {
        char first = type.charAt(0);
        Shape shape = switch (first) {
            case '[' -> Shape.LIST;
            case '{' -> Shape.MAP;
            case '<' -> Shape.INLINE;
            default -> Shape.ONE;
        };
        boolean pointer = type.endsWith("?");
        String bare = shape != Shape.ONE
                ? type.substring(1, type.length() - 1)
                : pointer ? type.substring(0, type.length() - 1) : type;
        Value value = switch (bare) {
            case "string" -> Value.STRING;
            case "bytes" -> Value.BYTES;
            case "bool" -> Value.BOOL;
            case "int32" -> Value.INT32;
            case "int64" -> Value.INT64;
            case "time" -> Value.TIME;
            case "microTime" -> Value.MICRO_TIME;
            case "quantity" -> Value.QUANTITY;
            case "intOrString" -> Value.INT_OR_STRING;
            case "json" -> Value.JSON;
            case "strings" -> Value.STRINGS;
            default -> Value.MESSAGE;
        };
        Optional<Message> message = get(bare);
        if (value == Value.MESSAGE && message.isEmpty()) {
            throw new IllegalStateException("Expected the type of " + name + " in the table, but found no " + bare);
        }
        return new Field(name, shape, value, message, pointer);
    }

    private static StringTokenizer words(String text) {
        return new StringTokenizer(text, " ,\n");
    }

    private static boolean isName(String word) {
        return word.endsWith(":");
    }
}
