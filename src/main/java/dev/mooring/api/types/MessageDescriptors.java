package dev.mooring.api.types;

import dev.mooring.api.types.MessageDescriptor.Cardinality;
import dev.mooring.api.types.MessageDescriptor.FieldDescriptor;
import dev.mooring.api.types.MessageDescriptor.WireValueType;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.StringTokenizer;

/** Message descriptors by name. Immutable once parsed; thread-safe. */
final class MessageDescriptors {
    /** Messages of types that are a single value in JSON. */
    private static final String WRAPPERS = """
        time: 1 seconds int64, 2 nanos int32
        microTime: 1 seconds int64, 2 nanos int32
        quantity: 1 string string
        intOrString: 1 type int64, 2 intVal int32, 3 strVal string
        json: 1 raw bytes?
        strings: 1 items [string]
        """;

    private final Map<String, MessageDescriptor> byName = new HashMap<>();

    private MessageDescriptors() {}

    /**
     * Parses a table: the name of a message and a colon, then its fields, each with number, JSON name and type. The
     * type is a scalar or the name of a message; {@code T?} is a pointer, {@code [T]} a list, {@code {T}} a map with
     * string keys, {@code <T>} a message whose fields belong to the enclosing one.
     *
     * @throws IllegalStateException if the table is invalid
     */
    static MessageDescriptors parse(String table) {
        String text = WRAPPERS + table;
        MessageDescriptors messages = new MessageDescriptors();
        for (StringTokenizer tokens = tokens(text); tokens.hasMoreTokens(); ) {
            String token = tokens.nextToken();
            if (isName(token)) {
                MessageDescriptor message = new MessageDescriptor(token.substring(0, token.length() - 1));
                if (messages.byName.put(message.name(), message) != null) {
                    throw new IllegalStateException("Duplicate message " + message.name());
                }
            }
        }
        Optional<MessageDescriptor> current = Optional.empty();
        for (StringTokenizer tokens = tokens(text); tokens.hasMoreTokens(); ) {
            String token = tokens.nextToken();
            if (isName(token)) {
                current = messages.get(token.substring(0, token.length() - 1));
            } else {
                current.orElseThrow()
                        .add(Integer.parseInt(token), messages.field(tokens.nextToken(), tokens.nextToken()));
            }
        }
        return messages;
    }

    Optional<MessageDescriptor> get(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    private FieldDescriptor field(String name, String type) {
        char first = type.charAt(0);
        Cardinality shape = switch (first) {
            case '[' -> Cardinality.LIST;
            case '{' -> Cardinality.MAP;
            case '<' -> Cardinality.INLINE;
            default -> Cardinality.ONE;
        };
        boolean pointer = type.endsWith("?");
        String bare = shape != Cardinality.ONE
                ? type.substring(1, type.length() - 1)
                : pointer ? type.substring(0, type.length() - 1) : type;
        WireValueType value = switch (bare) {
            case "string" -> WireValueType.STRING;
            case "bytes" -> WireValueType.BYTES;
            case "bool" -> WireValueType.BOOL;
            case "int32" -> WireValueType.INT32;
            case "int64" -> WireValueType.INT64;
            case "time" -> WireValueType.TIME;
            case "microTime" -> WireValueType.MICRO_TIME;
            case "quantity" -> WireValueType.QUANTITY;
            case "intOrString" -> WireValueType.INT_OR_STRING;
            case "json" -> WireValueType.JSON;
            case "strings" -> WireValueType.STRINGS;
            default -> WireValueType.MESSAGE;
        };
        Optional<MessageDescriptor> message = get(bare);
        if (value == WireValueType.MESSAGE && message.isEmpty()) {
            throw new IllegalStateException("Type " + bare + " of field " + name + " is not in the table");
        }
        return new FieldDescriptor(name, shape, value, message, pointer);
    }

    private static StringTokenizer tokens(String text) {
        return new StringTokenizer(text, " ,\n");
    }

    private static boolean isName(String token) {
        return token.endsWith(":");
    }
}
