package dev.mooring.api.types;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.GoText;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks an object against its type in one pass. Afterwards every known field has a value of its type in Kubernetes'
 * stored form: canonical quantities as strings, times in UTC, no {@code null} and no empty lists and maps (Go does not
 * distinguish them from absent ones). Unknown fields are kept and reported. Modifies the object.
 */
public final class ShapeCheck {
    private final DecodePath currentPath = new DecodePath();
    private List<String> unknown = List.of();

    /**
     * The first type mismatch. Go continues after one and reports it at the end; a string that cannot be parsed fails
     * immediately.
     */
    private Optional<String> mismatch = Optional.empty();

    private ShapeCheck() {}

    /** @throws BodyException with Go's message if a value does not fit its type */
    public static ShapeCheckResult check(ObjectNode object, Struct type) {
        ShapeCheck check = new ShapeCheck();
        check.struct(object, type);
        if (check.mismatch.isPresent()) {
            throw new BodyException(check.mismatch.get());
        }
        return check.unknown.isEmpty() ? ShapeCheckResult.NONE : new ShapeCheckResult(List.copyOf(check.unknown));
    }

    private void struct(ObjectNode object, Struct type) {
        Iterator<Map.Entry<String, JsonNode>> entries = object.properties().iterator();
        while (entries.hasNext()) {
            Map.Entry<String, JsonNode> entry = entries.next();
            JsonNode value = entry.getValue();
            Optional<SchemaField> field = type.field(entry.getKey());
            if (field.isEmpty()) {
                reportUnknown(entry.getKey());
            }
            if (value.isNull()) {
                entries.remove();
            } else if (field.isPresent()) {
                currentPath.enterField(type, entry.getKey());
                JsonNode stored = value(value, field.get().type());
                currentPath.leave();
                if (isLeftOut(stored, field.get())) {
                    entries.remove();
                } else {
                    entry.setValue(stored);
                }
            }
        }
    }

    /**
     * Returns whether a value is omitted, as Go omits empty lists and maps. Exception: an empty managedFields list
     * resets ownership.
     */
    private static boolean isLeftOut(JsonNode stored, SchemaField field) {
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
            unknown.add("unknown field " + GoText.quote(currentPath.path(name)));
        }
    }

    /** Returns the value to store for a non-null value: the value itself if it needs no change. */
    private JsonNode value(JsonNode value, SchemaType type) {
        if (type instanceof Scalar scalar) {
            return scalar(value, scalar);
        }
        if (type instanceof Struct struct) {
            if (value instanceof ObjectNode object) {
                struct(object, struct);
            } else {
                reportMismatch(value, GoType.of(type, currentPath.field()));
            }
        } else if (type instanceof MapOf map) {
            if (value instanceof ObjectNode object) {
                map(object, map.value());
            } else {
                reportMismatch(value, GoType.of(type, currentPath.field()));
            }
        } else if (type instanceof ListOf list) {
            if (value instanceof ArrayNode array) {
                list(array, list.element());
            } else {
                reportMismatch(value, GoType.of(type, currentPath.field()));
            }
        }
        return value;
    }

    private void map(ObjectNode object, SchemaType type) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            currentPath.enterKey(entry.getKey());
            entry.setValue(item(entry.getValue(), type));
            currentPath.leave();
        }
    }

    private void list(ArrayNode array, SchemaType type) {
        for (int i = 0; i < array.size(); i++) {
            currentPath.enterElement(i);
            array.set(i, item(array.get(i), type));
            currentPath.leave();
        }
    }

    /** Returns the value to store for an item. Items cannot be absent, so null becomes the zero value of the type. */
    private JsonNode item(JsonNode value, SchemaType type) {
        return value.isNull() ? zero(type, value) : value(value, type);
    }

    private static JsonNode zero(SchemaType type, JsonNode asIs) {
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
            reportMismatch(value, GoType.of(type, currentPath.field()));
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
        String stored = QuantityText.normalize(written);
        return value.isTextual() && stored.equals(written) ? value : TextNode.valueOf(stored);
    }

    private JsonNode time(JsonNode value, TimeText.Precision precision) {
        if (!value.isTextual()) {
            reportMismatch(value, "string");
            return value;
        }
        String stored = TimeText.normalize(value.textValue(), precision);
        return stored.equals(value.textValue()) ? value : TextNode.valueOf(stored);
    }

    private JsonNode bytes(JsonNode value) {
        if (!value.isTextual()) {
            reportMismatch(value, GoType.of(Scalar.BYTES, currentPath.field()));
            return value;
        }
        String stored = Base64Text.normalize(value.textValue());
        return stored.equals(value.textValue()) ? value : TextNode.valueOf(stored);
    }

    private void reportMismatch(JsonNode value, String type) {
        reportMismatch(goTypeName(value), type);
    }

    private void reportMismatch(String found, String type) {
        if (mismatch.isEmpty()) {
            mismatch = Optional.of("json: cannot unmarshal " + found + " into Go struct field " + currentPath.goField()
                    + " of type " + type);
        }
    }

    private static String goTypeName(JsonNode value) {
        return switch (value.getNodeType()) {
            case OBJECT, POJO -> "object";
            case ARRAY -> "array";
            case NUMBER -> "number";
            case BOOLEAN -> "bool";
            case STRING, BINARY -> "string";
            case NULL, MISSING -> "null";
        };
    }

    /**
     * Go type names for Kubernetes' error messages. Kubernetes has many string types; those of common fields are known
     * by field name, all others are called {@code string}.
     */
    private static final class GoType {
        private static final Map<String, String> STRINGS = Map.of(
                "accessModes", "v1.PersistentVolumeAccessMode",
                "persistentVolumeReclaimPolicy", "v1.PersistentVolumeReclaimPolicy",
                "reclaimPolicy", "v1.PersistentVolumeReclaimPolicy",
                "volumeMode", "v1.PersistentVolumeMode",
                "volumeBindingMode", "v1.VolumeBindingMode",
                "restartPolicy", "v1.RestartPolicy",
                "imagePullPolicy", "v1.PullPolicy",
                "dnsPolicy", "v1.DNSPolicy",
                "uid", "types.UID");

        private GoType() {}

        /** @param field the field that holds the value, itself or as an item */
        static String of(SchemaType type, String field) {
            if (type instanceof Struct struct) {
                return "v1." + struct.name();
            } else if (type instanceof ListOf list) {
                return "[]" + of(list.element(), field);
            } else if (type instanceof MapOf map) {
                return map.value() == Scalar.QUANTITY ? "v1.ResourceList" : "map[string]" + of(map.value(), field);
            }
            return switch ((Scalar) type) {
                case STRING -> STRINGS.getOrDefault(field, "string");
                case INT32 -> "int32";
                case INT64 -> "int64";
                case DOUBLE -> "float64";
                case BOOLEAN -> "bool";
                case QUANTITY -> "resource.Quantity";
                case TIME -> "v1.Time";
                case MICRO_TIME -> "v1.MicroTime";
                case INT_OR_STRING -> "intstr.IntOrString";
                case BYTES -> "[]uint8";
                case ANY -> "runtime.RawExtension";
            };
        }
    }

    /**
     * The current path of a walk through an object. Costs two array writes per step; text is only built for messages.
     * Not thread-safe.
     */
    private static final class DecodePath {
        private static final int FIELD = -1;
        private static final int KEY = -2;

        private String[] names = new String[16];

        /** {@link #FIELD}, {@link #KEY}, or an index. */
        private int[] steps = new int[16];

        private Struct[] structs = new Struct[16];
        private int depth;

        void enterField(Struct of, String name) {
            enter(of, name, FIELD);
        }

        void enterKey(String key) {
            enter(null, key, KEY);
        }

        void enterElement(int index) {
            enter(null, null, index);
        }

        void leave() {
            depth--;
        }

        private void enter(Struct of, String name, int step) {
            if (depth == steps.length) {
                names = Arrays.copyOf(names, depth * 2);
                steps = Arrays.copyOf(steps, depth * 2);
                structs = Arrays.copyOf(structs, depth * 2);
            }
            names[depth] = name;
            steps[depth] = step;
            structs[depth] = of;
            depth++;
        }

        /** Returns the path with one more field: {@code spec.containers[0].image}. */
        String path(String field) {
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < depth; i++) {
                if (steps[i] >= 0) {
                    path.append('[').append(steps[i]).append(']');
                } else {
                    path.append(i == 0 ? "" : ".").append(names[i]);
                }
            }
            return path.append(path.isEmpty() ? "" : ".").append(field).toString();
        }

        /** Returns the innermost field of the path. */
        String field() {
            int i = depth - 1;
            while (i >= 0 && steps[i] != FIELD) {
                i--;
            }
            return i < 0 ? "" : names[i];
        }

        /**
         * Returns {@code Container.spec.containers.image}: the innermost struct and the fields of the path; Go omits
         * keys and indexes.
         */
        String goField() {
            String struct = "";
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < depth; i++) {
                if (steps[i] == FIELD) {
                    struct = structs[i].name();
                    path.append('.').append(names[i]);
                }
            }
            return struct + path;
        }
    }

    /**
     * Findings of a {@link ShapeCheck} that are not errors.
     *
     * @param unknownFields one message each: {@code unknown field "spec.foo"}
     */
    public record ShapeCheckResult(List<String> unknownFields) {
        static final ShapeCheckResult NONE = new ShapeCheckResult(List.of());
    }
}
