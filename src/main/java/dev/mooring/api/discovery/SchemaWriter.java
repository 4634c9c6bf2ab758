package dev.mooring.api.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.StreamSupport;

/**
 * Writes types as schemas of one dialect, with all types they reference. The {@code x-kubernetes-} extensions define
 * how clients merge: kubectl computes the patches of {@code apply} from them. Not thread-safe; one instance per
 * document.
 */
final class SchemaWriter {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    /** Fields that Kubernetes never omits, even if they are empty. */
    private static final Set<String> ALWAYS_THERE = Set.of("metadata", "spec", "status");

    private final OpenApi.Dialect dialect;
    private final SchemaNames names;

    /** Schemas by name, so that the document does not depend on the order of references. */
    private final Map<String, ObjectNode> written = new TreeMap<>();

    private final Deque<Struct> toWrite = new ArrayDeque<>();

    SchemaWriter(OpenApi.Dialect dialect, SchemaNames names) {
        this.dialect = dialect;
        this.names = names;
    }

    void add(OpenApi.DescribedKind kind) {
        ObjectNode schema = add(kind.type());
        ObjectNode gvk = schema.withArray("/x-kubernetes-group-version-kind").addObject();
        gvk.put("group", kind.served().group())
                .put("kind", kind.served().kind())
                .put("version", kind.served().version());
    }

    /** Adds the body of a PATCH request: any object. */
    void addPatch() {
        written.computeIfAbsent(
                SchemaNames.PATCH,
                ignored -> described("A patch, in one of several formats.").put("type", "object"));
    }

    ObjectNode schemas() {
        ObjectNode all = NODES.objectNode();
        written.forEach(all::set);
        return all;
    }

    private ObjectNode add(Struct type) {
        ObjectNode schema = struct(type);
        while (!toWrite.isEmpty()) {
            struct(toWrite.remove());
        }
        return schema;
    }

    private ObjectNode struct(Struct type) {
        String name = names.of(type);
        ObjectNode known = written.get(name);
        if (known != null) {
            return known;
        }
        ObjectNode schema = described(type.description()).put("type", "object");
        written.put(name, schema);
        ObjectNode properties = NODES.objectNode();
        type.fields().forEach(field -> properties.set(field.name(), property(field)));
        if (!properties.isEmpty()) {
            schema.set("properties", properties);
        }
        ArrayNode required = NODES.arrayNode();
        StreamSupport.stream(type.fields().spliterator(), false)
                .filter(SchemaField::required)
                .forEach(field -> required.add(field.name()));
        if (!required.isEmpty()) {
            schema.set("required", required);
        }
        if (names.isAtomic(type)) {
            schema.put("x-kubernetes-map-type", "atomic");
        }
        return schema;
    }

    private ObjectNode property(SchemaField field) {
        // kubectl explain shows the description of the type below that of the field
        boolean saidByType =
                field.type() instanceof Struct struct && struct.description().equals(field.description());
        ObjectNode schema = described(saidByType ? "" : field.description());
        schema.setAll(value(field.type()));
        if (field.type() instanceof Struct struct) {
            if (names.isAtomic(struct) && !struct.atomic()) {
                schema.put("x-kubernetes-map-type", "granular");
            }
            if (dialect == OpenApi.Dialect.V3 && (field.required() || ALWAYS_THERE.contains(field.name()))) {
                schema.putObject("default");
            }
        }
        if (dialect == OpenApi.Dialect.V3) {
            field.defaultText().ifPresent(text -> schema.set("default", literal(text, field.type())));
        }
        switch (field.patch()) {
            case DEFAULT -> {
                // the default
            }
            case MERGE -> schema.put("x-kubernetes-patch-strategy", "merge");
            case RETAIN_KEYS -> schema.put("x-kubernetes-patch-strategy", "retainKeys");
            case MERGE_AND_RETAIN_KEYS -> schema.put("x-kubernetes-patch-strategy", "merge,retainKeys");
        }
        field.mergeKey().ifPresent(key -> schema.put("x-kubernetes-patch-merge-key", key));
        return schema;
    }

    private ObjectNode value(SchemaType type) {
        if (type instanceof Struct struct) {
            toWrite.add(struct);
            return reference(names.of(struct));
        }
        ObjectNode schema = NODES.objectNode();
        if (type instanceof ListOf list) {
            schema.put("type", "array");
            schema.set("items", item(list.element()));
            switch (list.kind()) {
                case ATOMIC -> schema.put("x-kubernetes-list-type", "atomic");
                case SET -> schema.put("x-kubernetes-list-type", "set");
                case MAP -> schema.put("x-kubernetes-list-type", "map");
            }
            if (list.kind() == ListKind.MAP) {
                ArrayNode keys = schema.putArray("x-kubernetes-list-map-keys");
                list.keys().forEach(keys::add);
            }
            return schema;
        } else if (type instanceof MapOf map) {
            schema.put("type", "object");
            schema.set("additionalProperties", item(map.value()));
            if (map.atomic()) {
                schema.put("x-kubernetes-map-type", "atomic");
            }
            return schema;
        }
        return scalar((Scalar) type, schema);
    }

    /** Writes the schema of an item, with its default: Kubernetes adds one because items cannot be absent. */
    private ObjectNode item(SchemaType type) {
        ObjectNode schema = value(type);
        if (dialect == OpenApi.Dialect.V3) {
            if (type instanceof Struct) {
                schema.putObject("default");
            } else if (type == Scalar.STRING) {
                schema.put("default", "");
            }
        }
        return schema;
    }

    private ObjectNode scalar(Scalar type, ObjectNode schema) {
        return switch (type) {
            case STRING -> schema.put("type", "string");
            case INT32 -> schema.put("type", "integer").put("format", "int32");
            case INT64 -> schema.put("type", "integer").put("format", "int64");
            case DOUBLE -> schema.put("type", "number").put("format", "double");
            case BOOLEAN -> schema.put("type", "boolean");
            case BYTES -> schema.put("type", "string").put("format", "byte");
            case ANY -> schema.put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
            case QUANTITY -> reference(quantity());
            case TIME -> reference(time(SchemaNames.TIME, "A time in seconds, such as 2026-01-31T12:00:00Z."));
            case MICRO_TIME ->
                reference(time(SchemaNames.MICRO_TIME, "A time in microseconds, such as 2026-01-31T12:00:00.000000Z."));
            case INT_OR_STRING -> reference(intOrString());
        };
    }

    private ObjectNode reference(String name) {
        ObjectNode schema = NODES.objectNode();
        if (dialect == OpenApi.Dialect.V2) {
            return schema.put("$ref", dialect.reference(name));
        }
        // in version 3, a reference must not have siblings such as a description
        schema.putArray("allOf").addObject().put("$ref", dialect.reference(name));
        return schema;
    }

    private String quantity() {
        written.computeIfAbsent(SchemaNames.QUANTITY, ignored -> {
            ObjectNode schema =
                    described("An amount with a unit: decimal (500m, 2, 3k, 5G), binary (1Ki, 20Mi, 5Gi), or with"
                            + " an exponent (12e6). Stored without fractions, in the largest unit that allows it.");
            if (dialect == OpenApi.Dialect.V2) {
                return schema.put("type", "string");
            }
            schema.putArray("oneOf")
                    .add(NODES.objectNode().put("type", "string"))
                    .add(NODES.objectNode().put("type", "number"));
            return schema;
        });
        return SchemaNames.QUANTITY;
    }

    private String intOrString() {
        written.computeIfAbsent(SchemaNames.INT_OR_STRING, ignored -> {
            ObjectNode schema = described("A number, or a string such as the name of a port or a percentage.");
            if (dialect == OpenApi.Dialect.V2) {
                return schema.put("type", "string").put("format", "int-or-string");
            }
            schema.put("format", "int-or-string")
                    .putArray("oneOf")
                    .add(NODES.objectNode().put("type", "integer"))
                    .add(NODES.objectNode().put("type", "string"));
            return schema;
        });
        return SchemaNames.INT_OR_STRING;
    }

    private String time(String name, String description) {
        written.computeIfAbsent(
                name, ignored -> described(description).put("type", "string").put("format", "date-time"));
        return name;
    }

    private static ObjectNode described(String description) {
        ObjectNode schema = NODES.objectNode();
        return description.isEmpty() ? schema : schema.put("description", description);
    }

    private static JsonNode literal(String text, SchemaType type) {
        if (type == Scalar.BOOLEAN) {
            return NODES.booleanNode(Boolean.parseBoolean(text));
        } else if (type == Scalar.INT32 || type == Scalar.INT64) {
            return NODES.numberNode(Long.parseLong(text));
        }
        return NODES.textNode(text);
    }
}
