package dev.mooring.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.protobuf.Message.Field;
import dev.mooring.api.protobuf.Message.Shape;
import java.util.Base64;
import java.util.Optional;

/**
 * Turns one message into the JSON that Kubernetes would write for it. What is not there stays away: empty texts, zeros and empty messages
 * of fields whose type has no other way to say so. A field that is not in the tables is refused, never dropped. Confined to one thread.
 */
final class MessageDecoder {
    /** Deeper than any object of Kubernetes, and far from the end of the stack. */
    private static final int DEEPEST = 64;
    /** Two bytes can ask for an object of a hundred: bounded, so that a body cannot grow into gigabytes. */
    private static final int MOST_VALUES = 250_000;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int KEY = 1;
    private static final int ENTRY_VALUE = 2;

    private final WireReader in;
    private int depth;
    private int values;

    MessageDecoder(WireReader in) {
        this.in = in;
    }

    /** Reads fields up to the end of the stretch the reader is in. */
    void fields(Message message, ObjectNode target) throws ProtobufException {
        if (++depth > DEEPEST) {
            throw ProtobufException.malformed(
                    "Expected messages at most " + DEEPEST + " deep, but " + message.name() + " is deeper");
        }
        while (in.hasMore()) {
            int tag = in.tag();
            Optional<Field> field = message.field(tag >>> 3);
            if (field.isEmpty()) {
                throw ProtobufException.unsupported("the protobuf message " + message.name() + " has a field number "
                        + (tag >>> 3) + " that this server does not know: send it as application/json");
            }
            count();
            field(message, field.get(), tag & 7, target);
        }
        depth--;
    }

    private void field(Message message, Field field, int wireType, ObjectNode target) throws ProtobufException {
        boolean packed = field.shape() == Shape.LIST && field.value().isVarint() && wireType == WireReader.LENGTH;
        int expected = field.shape() != Shape.MAP && field.value().isVarint() && !packed
                ? WireReader.VARINT
                : WireReader.LENGTH;
        if (wireType != expected) {
            throw ProtobufException.malformed("Expected wire type " + expected + " for the field " + field.name()
                    + " of " + message.name() + ", but found " + wireType);
        }
        switch (field.shape()) {
            case ONE -> one(field, target);
            case INLINE -> within(field, target);
            case MAP -> entry(message, field, target);
            case LIST -> {
                ArrayNode list =
                        target.get(field.name()) instanceof ArrayNode known ? known : target.putArray(field.name());
                if (packed) {
                    int outer = in.enter();
                    while (in.hasMore()) {
                        count();
                        list.add(value(field));
                    }
                    in.leave(outer);
                } else {
                    list.add(value(field));
                }
            }
        }
    }

    private void one(Field field, ObjectNode target) throws ProtobufException {
        if (field.value() == Message.Value.MESSAGE && target.get(field.name()) instanceof ObjectNode known) {
            within(field, known);
            return;
        }
        JsonNode value = value(field);
        if (value.isNull() || (!field.pointer() && isZero(value))) {
            target.remove(field.name());
        } else {
            target.set(field.name(), value);
        }
    }

    private void entry(Message message, Field field, ObjectNode target) throws ProtobufException {
        String key = "";
        JsonNode value = NODES.nullNode();
        int outer = in.enter();
        while (in.hasMore()) {
            int tag = in.tag();
            int valueType = field.value().isVarint() ? WireReader.VARINT : WireReader.LENGTH;
            if (tag == (KEY << 3 | WireReader.LENGTH)) {
                key = in.text();
            } else if (tag == (ENTRY_VALUE << 3 | valueType)) {
                count();
                value = value(field);
            } else {
                throw ProtobufException.malformed("Expected a key and a value in the map " + field.name() + " of "
                        + message.name() + ", but found field number " + (tag >>> 3) + " of wire type " + (tag & 7));
            }
        }
        in.leave(outer);
        ObjectNode map = target.get(field.name()) instanceof ObjectNode known ? known : target.putObject(field.name());
        map.set(key, value.isNull() ? absent(field) : value);
    }

    /** The value of an entry that has none. */
    private static JsonNode absent(Field field) {
        return switch (field.value()) {
            case STRING, BYTES -> TextNode.valueOf("");
            case BOOL -> BooleanNode.FALSE;
            case INT32, INT64 -> IntNode.valueOf(0);
            case STRINGS -> NODES.arrayNode();
            case QUANTITY -> TextNode.valueOf("0");
            default -> NODES.objectNode();
        };
    }

    private JsonNode value(Field field) throws ProtobufException {
        return switch (field.value()) {
            case STRING -> TextNode.valueOf(in.text());
            case BYTES -> TextNode.valueOf(Base64.getEncoder().encodeToString(in.bytes()));
            case BOOL -> BooleanNode.valueOf(in.varint() != 0);
            case INT32 -> IntNode.valueOf((int) in.varint());
            case INT64 -> number(in.varint());
            case MESSAGE -> within(field, NODES.objectNode());
            case TIME -> Wrapped.time(within(field, NODES.objectNode()));
            case MICRO_TIME -> Wrapped.microTime(within(field, NODES.objectNode()));
            case QUANTITY -> Wrapped.quantity(within(field, NODES.objectNode()));
            case INT_OR_STRING -> Wrapped.intOrString(within(field, NODES.objectNode()));
            case JSON -> Wrapped.json(within(field, NODES.objectNode()));
            case STRINGS -> Wrapped.strings(within(field, NODES.objectNode()));
        };
    }

    private ObjectNode within(Field field, ObjectNode target) throws ProtobufException {
        int outer = in.enter();
        fields(field.message().orElseThrow(), target);
        in.leave(outer);
        return target;
    }

    /** As Jackson reads JSON: trees of either origin compare equal. */
    private static JsonNode number(long value) {
        return value == (int) value ? IntNode.valueOf((int) value) : LongNode.valueOf(value);
    }

    private void count() throws ProtobufException {
        if (++values > MOST_VALUES) {
            throw ProtobufException.malformed(
                    "Expected at most " + MOST_VALUES + " values in a body, but there are more");
        }
    }

    private static boolean isZero(JsonNode value) {
        return switch (value.getNodeType()) {
            case STRING -> value.textValue().isEmpty();
            case NUMBER -> value.longValue() == 0;
            case BOOLEAN -> !value.booleanValue();
            default -> value.isEmpty();
        };
    }
}
