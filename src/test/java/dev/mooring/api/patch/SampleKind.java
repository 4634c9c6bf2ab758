package dev.mooring.api.patch;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaField.PatchStrategy;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A kind with fields of every type, and a lenient JSON parser for readable tests: unquoted names, single quotes. */
final class SampleKind {
    private static final ObjectMapper JSON = new ObjectMapper()
            .enable(JsonParser.Feature.ALLOW_UNQUOTED_FIELD_NAMES)
            .enable(JsonParser.Feature.ALLOW_SINGLE_QUOTES);

    static final String VERSION = "example/v1";

    private static final Struct NESTED =
            struct("Nested", field("x", Scalar.STRING), field("y", Scalar.STRING), field("more", options()));
    private static final Struct ITEM = struct(
            "Item",
            field("name", Scalar.STRING),
            field("value", Scalar.INT32),
            field("marks", set()),
            field("nested", NESTED));
    private static final Struct PORT = struct(
            "Port",
            field("port", Scalar.INT32),
            new SchemaField(
                    "protocol", Scalar.STRING, false, "", PatchStrategy.DEFAULT, Optional.empty(), Optional.of("TCP")),
            field("note", Scalar.STRING));
    private static final Struct SELECTOR = new Struct("Selector", "", true, List.of(field("a", Scalar.STRING)));

    static final Struct THING = struct(
            "Thing",
            field("apiVersion", Scalar.STRING),
            field("kind", Scalar.STRING),
            field(
                    "metadata",
                    struct(
                            "ObjectMeta",
                            field("name", Scalar.STRING),
                            field("namespace", Scalar.STRING),
                            field("uid", Scalar.STRING),
                            field("resourceVersion", Scalar.STRING),
                            field("creationTimestamp", Scalar.TIME),
                            field("labels", options()),
                            field("annotations", options()),
                            field("finalizers", set()))),
            field(
                    "spec",
                    struct(
                            "ThingSpec",
                            field("number", Scalar.INT32),
                            field("text", Scalar.STRING),
                            field("flag", Scalar.BOOLEAN),
                            field("size", Scalar.QUANTITY),
                            field("tags", set()),
                            field("modes", new ListOf(Scalar.STRING, ListKind.ATOMIC, List.of())),
                            field("items", new ListOf(ITEM, ListKind.MAP, List.of("name"))),
                            field("ports", new ListOf(PORT, ListKind.MAP, List.of("port", "protocol"))),
                            field("selector", SELECTOR),
                            field("nested", NESTED),
                            field("options", options()),
                            field("whole", new MapOf(Scalar.STRING, true)))),
            field("status", struct("ThingStatus", field("phase", Scalar.STRING))));

    private SampleKind() {}

    private static MapOf options() {
        return new MapOf(Scalar.STRING, false);
    }

    private static ListOf set() {
        return new ListOf(Scalar.STRING, ListKind.SET, List.of());
    }

    private static Struct struct(String name, SchemaField... fields) {
        return new Struct(name, "", false, Arrays.asList(fields));
    }

    private static SchemaField field(String name, SchemaType type) {
        return new SchemaField(name, type, false, "", PatchStrategy.DEFAULT, Optional.empty(), Optional.empty());
    }

    static ObjectNode json(String text) {
        try {
            return (ObjectNode) JSON.readTree(text);
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("invalid JSON: " + text, notJson);
        }
    }

    /** Returns a Thing with a name and, unless it is empty, this spec. */
    static ObjectNode thing(JsonNode spec) {
        ObjectNode thing = json("{apiVersion: 'example/v1', kind: 'Thing', metadata: {name: 'it'}}");
        if (!spec.isEmpty()) {
            thing.set("spec", spec.deepCopy());
        }
        return thing;
    }
}
