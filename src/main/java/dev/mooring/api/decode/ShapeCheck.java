package dev.mooring.api.decode;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import dev.mooring.api.status.GoText;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Walks an object along its type, once. Afterwards every known field holds a value of its type, written as Kubernetes stores it:
 * quantities canonical and never numbers, times in UTC, no {@code null} and no empty lists and maps (Go cannot tell them from nothing). Fields that the type does
 * not know stay and are reported. The object is changed in place.
 */
public final class ShapeCheck {
    private final Place place = new Place();
    private List<String> unknown = List.of();

    /** Go reads on after a value of the wrong type, and reports the first one at the end; a text it cannot read ends it at once. */
    private Optional<String> mismatch = Optional.empty();

    private ShapeCheck() {}

    /** @throws BodyException with Go's words if a value cannot be of its type */
    public static Findings check(ObjectNode object, Struct type) {
        ShapeCheck check = new ShapeCheck();
        check.struct(object, type);
        if (check.mismatch.isPresent()) {
            throw new BodyException(check.mismatch.get());
        }
        return check.unknown.isEmpty() ? Findings.NONE : new Findings(List.copyOf(check.unknown));
    }

    private void struct(ObjectNode object, Struct type) {
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            JsonNode value = entry.getValue();
            Optional<Field> field = type.field(entry.getKey());
            if (field.isEmpty()) {
                reportUnknown(entry.getKey());
            }
            if (value.isNull()) {
                entries.remove();
            } else if (field.isPresent()) {
                place.enterField(type, entry.getKey());
                JsonNode stored = value(value, field.get().type());
                place.leave();
                if (isLeftOut(stored, field.get())) {
                    entries.remove();
                } else {
                    entry.setValue(stored);
                }
            }
        }
    }

    /** As Go writes objects: an empty list or map is none. But an empty list of managers gives up all fields. */
    private static boolean isLeftOut(JsonNode stored, Field field) {
        return stored.isContainerNode()
                && stored.isEmpty()
                && (field.type() instanceof ListOf || field.type() instanceof MapOf)
                && !field.name().equals("managedFields");
    }

    private void reportUnknown(String name) {
        if (unknown.isEmpty()) {
            unknown = new ArrayList<>();
        }
        if (unknown.size() < BodyLimits.FINDINGS) {
            unknown.add("unknown field " + GoText.quote(place.path(name)));
        }
    }

    /** What to store in place of a value that is not null: the value itself if it is fine. */
    private JsonNode value(JsonNode value, Type type) {
        if (type instanceof Scalar scalar) {
            return scalar(value, scalar);
        }
        if (type instanceof Struct struct) {
            if (value instanceof ObjectNode object) {
                struct(object, struct);
            } else {
                reportMismatch(value, GoType.of(type, place.field()));
            }
        } else if (type instanceof MapOf map) {
            if (value instanceof ObjectNode object) {
                map(object, map.value());
            } else {
                reportMismatch(value, GoType.of(type, place.field()));
            }
        } else if (type instanceof ListOf list) {
            if (value instanceof ArrayNode array) {
                list(array, list.element());
            } else {
                reportMismatch(value, GoType.of(type, place.field()));
            }
        }
        return value;
    }

    private void map(ObjectNode object, Type type) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            place.enterKey(entry.getKey());
            entry.setValue(item(entry.getValue(), type));
            place.leave();
        }
    }

    private void list(ArrayNode array, Type type) {
        for (int i = 0; i < array.size(); i++) {
            place.enterElement(i);
            array.set(i, item(array.get(i), type));
            place.leave();
        }
    }

    /** Items cannot be absent, so that null is the type's zero. */
    private JsonNode item(JsonNode value, Type type) {
        return value.isNull() ? zero(type, value) : value(value, type);
    }

    private static JsonNode zero(Type type, JsonNode asIs) {
        if (type instanceof Scalar scalar) {
            return switch (scalar) {
                case STRING, BYTES -> TextNode.valueOf("");
                case INT32, INT64, DOUBLE, INT_OR_STRING -> IntNode.valueOf(0);
                case BOOLEAN -> BooleanNode.FALSE;
                case QUANTITY -> TextNode.valueOf("0");
                case TIME, MICRO_TIME, ANY -> asIs;
            };
        }
        return type instanceof ListOf ? JsonNodeFactory.instance.arrayNode() : JsonNodeFactory.instance.objectNode();
    }

    private JsonNode scalar(JsonNode value, Scalar type) {
        switch (type) {
            case STRING -> expect(value.isTextual(), value, type);
            case BOOLEAN -> expect(value.isBoolean(), value, type);
            case DOUBLE -> expect(value.isNumber(), value, type);
            case INT32 -> expectInteger(value, value.canConvertToInt(), "int32");
            case INT64 -> expectInteger(value, value.canConvertToLong(), "int64");
            case INT_OR_STRING -> {
                if (!value.isTextual()) {
                    expectInteger(value, value.canConvertToInt(), "int32");
                }
            }
            case QUANTITY -> {
                return quantity(value);
            }
            case TIME -> {
                return time(value, TimeText.Precision.SECONDS);
            }
            case MICRO_TIME -> {
                return time(value, TimeText.Precision.MICROS);
            }
            case BYTES -> {
                return bytes(value);
            }
            case ANY -> {}
        }
        return value;
    }

    private void expect(boolean right, JsonNode value, Scalar type) {
        if (!right) {
            reportMismatch(value, GoType.of(type, place.field()));
        }
    }

    private void expectInteger(JsonNode value, boolean fits, String type) {
        if (!value.isNumber()) {
            reportMismatch(value, type);
        } else if (!value.isIntegralNumber() || !fits) {
            reportMismatch("number " + value.asText(), type);
        }
    }

    private static JsonNode quantity(JsonNode value) {
        String written = value.isTextual() || value.isNumber() ? value.asText() : value.toString();
        String stored = QuantityText.stored(written);
        return value.isTextual() && stored.equals(written) ? value : TextNode.valueOf(stored);
    }

    private JsonNode time(JsonNode value, TimeText.Precision precision) {
        if (!value.isTextual()) {
            reportMismatch(value, "string");
            return value;
        }
        String stored = TimeText.stored(value.textValue(), precision);
        return stored.equals(value.textValue()) ? value : TextNode.valueOf(stored);
    }

    private JsonNode bytes(JsonNode value) {
        if (!value.isTextual()) {
            reportMismatch(value, GoType.of(Scalar.BYTES, place.field()));
            return value;
        }
        String stored = Base64Text.stored(value.textValue());
        return stored.equals(value.textValue()) ? value : TextNode.valueOf(stored);
    }

    private void reportMismatch(JsonNode value, String type) {
        reportMismatch(word(value), type);
    }

    private void reportMismatch(String found, String type) {
        if (mismatch.isEmpty()) {
            mismatch = Optional.of("json: cannot unmarshal " + found + " into Go struct field " + place.goField()
                    + " of type " + type);
        }
    }

    private static String word(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "object";
            case ARRAY -> "array";
            case NUMBER -> "number";
            case BOOLEAN -> "bool";
            case STRING, BINARY -> "string";
            case NULL, MISSING -> "null";
        };
    }
}
