package dev.mooring.api.types;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.types.MessageDescriptor.Cardinality;
import dev.mooring.api.types.MessageDescriptor.FieldDescriptor;
import dev.mooring.model.Json;
import java.io.IOException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.Optional;

/**
 * Decodes a message into the JSON that Kubernetes would write for it. Absent values are omitted: empty strings, zeros
 * and empty messages of fields whose Go type is no pointer. A field that is not in the tables is an error, never
 * dropped. Not thread-safe.
 */
final class MessageDecoder {
    /** Maximum nesting: more than any Kubernetes object needs, and safe for the stack. */
    private static final int MAX_DEPTH = 64;
    /** Maximum number of values: two bytes can encode an object of a hundred, so a body could expand to gigabytes. */
    private static final int MAX_VALUES = 250_000;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final int KEY = 1;
    private static final int ENTRY_VALUE = 2;

    private final WireReader in;
    private int depth;
    private int values;

    MessageDecoder(WireReader in) {
        this.in = in;
    }

    /** Reads fields up to the end of the current message. */
    void fields(MessageDescriptor message, ObjectNode target) throws ProtobufException {
        if (++depth > MAX_DEPTH) {
            throw ProtobufException.malformed(
                    "protobuf message " + message.name() + " is nested more than " + MAX_DEPTH + " deep");
        }
        while (in.hasMore()) {
            int tag = in.tag();
            Optional<FieldDescriptor> field = message.field(tag >>> 3);
            if (field.isEmpty()) {
                throw ProtobufException.unsupported("the protobuf message " + message.name() + " has a field number "
                        + (tag >>> 3) + " that this server does not know: send it as application/json");
            }
            count();
            field(message, field.get(), tag & 7, target);
        }
        depth--;
    }

    private void field(MessageDescriptor message, FieldDescriptor field, int wireType, ObjectNode target)
            throws ProtobufException {
        boolean packed = field.shape() == Cardinality.LIST && field.value().isVarint() && wireType == WireReader.LENGTH;
        int expected = field.shape() != Cardinality.MAP && field.value().isVarint() && !packed
                ? WireReader.VARINT
                : WireReader.LENGTH;
        if (wireType != expected) {
            throw ProtobufException.malformed("field " + field.name() + " of " + message.name()
                    + " must have wire type " + expected + ", got " + wireType);
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

    private void one(FieldDescriptor field, ObjectNode target) throws ProtobufException {
        if (field.value() == MessageDescriptor.WireValueType.MESSAGE
                && target.get(field.name()) instanceof ObjectNode known) {
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

    private void entry(MessageDescriptor message, FieldDescriptor field, ObjectNode target) throws ProtobufException {
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
                throw ProtobufException.malformed("entry of the map " + field.name() + " of " + message.name()
                        + " must be a key and a value, got field number " + (tag >>> 3) + " of wire type "
                        + (tag & 7));
            }
        }
        in.leave(outer);
        ObjectNode map = target.get(field.name()) instanceof ObjectNode known ? known : target.putObject(field.name());
        map.set(key, value.isNull() ? absent(field) : value);
    }

    /** Returns the value of a map entry without one. */
    private static JsonNode absent(FieldDescriptor field) {
        return switch (field.value()) {
            case STRING, BYTES -> TextNode.valueOf("");
            case BOOL -> BooleanNode.FALSE;
            case INT32, INT64 -> IntNode.valueOf(0);
            case STRINGS -> NODES.arrayNode();
            case QUANTITY -> TextNode.valueOf("0");
            default -> NODES.objectNode();
        };
    }

    private JsonNode value(FieldDescriptor field) throws ProtobufException {
        return switch (field.value()) {
            case STRING -> TextNode.valueOf(in.text());
            case BYTES -> TextNode.valueOf(Base64.getEncoder().encodeToString(in.bytes()));
            case BOOL -> BooleanNode.valueOf(in.varint() != 0);
            case INT32 -> IntNode.valueOf((int) in.varint());
            case INT64 -> number(in.varint());
            case MESSAGE -> within(field, NODES.objectNode());
            case TIME -> WrapperValues.time(within(field, NODES.objectNode()));
            case MICRO_TIME -> WrapperValues.microTime(within(field, NODES.objectNode()));
            case QUANTITY -> WrapperValues.quantity(within(field, NODES.objectNode()));
            case INT_OR_STRING -> WrapperValues.intOrString(within(field, NODES.objectNode()));
            case JSON -> WrapperValues.json(within(field, NODES.objectNode()));
            case STRINGS -> WrapperValues.strings(within(field, NODES.objectNode()));
        };
    }

    private ObjectNode within(FieldDescriptor field, ObjectNode target) throws ProtobufException {
        int outer = in.enter();
        fields(field.message().orElseThrow(), target);
        in.leave(outer);
        return target;
    }

    /** Returns the same node as Jackson's JSON parser, so that trees of both origins compare equal. */
    private static JsonNode number(long value) {
        return value == (int) value ? IntNode.valueOf((int) value) : LongNode.valueOf(value);
    }

    private void count() throws ProtobufException {
        if (++values > MAX_VALUES) {
            throw ProtobufException.malformed("body has more than " + MAX_VALUES + " values");
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

    /** Converts values that are messages in protobuf and simple values in JSON. Null means absent. Stateless. */
    private static final class WrapperValues {
        private static final DateTimeFormatter SECONDS =
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
        private static final DateTimeFormatter MICROSECONDS =
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
        /** The range that RFC 3339 can represent. */
        private static final long FIRST_SECOND =
                Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();

        private static final long LAST_SECOND =
                Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
        private static final int NANOS = 1_000_000_000;

        private WrapperValues() {}

        static JsonNode time(ObjectNode fields) throws ProtobufException {
            return time(fields, SECONDS);
        }

        static JsonNode microTime(ObjectNode fields) throws ProtobufException {
            return time(fields, MICROSECONDS);
        }

        /** Converts a quantity; Kubernetes clients send an empty string for none. */
        static JsonNode quantity(ObjectNode fields) {
            return fields.has("string") ? fields.get("string") : NullNode.instance;
        }

        static JsonNode intOrString(ObjectNode fields) throws ProtobufException {
            long type = fields.path("type").asLong();
            if (type == 0) {
                return fields.has("intVal") ? fields.get("intVal") : IntNode.valueOf(0);
            }
            if (type == 1) {
                return TextNode.valueOf(fields.path("strVal").asText());
            }
            throw ProtobufException.malformed("type must be int (0) or string (1), got " + type);
        }

        static JsonNode json(ObjectNode fields) throws ProtobufException {
            byte[] raw = Base64.getDecoder().decode(fields.path("raw").asText());
            if (raw.length == 0) {
                return NullNode.instance;
            }
            try {
                return Json.SINGLE_VALUE.readTree(raw);
            } catch (JsonProcessingException e) {
                throw ProtobufException.malformed("protobuf field is not JSON: " + e.getOriginalMessage());
            } catch (IOException e) {
                throw ProtobufException.malformed("protobuf field is not JSON: " + e.getMessage());
            }
        }

        static ArrayNode strings(ObjectNode fields) {
            return fields.get("items") instanceof ArrayNode items ? items : JsonNodeFactory.instance.arrayNode();
        }

        private static JsonNode time(ObjectNode fields, DateTimeFormatter format) throws ProtobufException {
            long seconds = fields.path("seconds").asLong();
            int nanos = fields.path("nanos").asInt();
            if (seconds == 0 && nanos == 0) {
                return NullNode.instance;
            }
            if (seconds < FIRST_SECOND || seconds > LAST_SECOND || nanos < 0 || nanos >= NANOS) {
                throw ProtobufException.malformed("time must be between the years 0 and 9999, got " + seconds
                        + " s and " + nanos + " ns since 1970");
            }
            return TextNode.valueOf(format.format(Instant.ofEpochSecond(seconds, nanos)));
        }
    }
}
