package dev.mooring.api.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.discovery.DiscoveredKind.ResourceScope;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaField.PatchStrategy;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SchemaWriterTest {
    private static final SchemaField SELF_NAME = field("name", Scalar.STRING);

    private static final Struct POINT = new Struct("Point", "A point.", true, List.of(SELF_NAME));
    private static final Struct LOOSE_POINT = new Struct("Point", "A point.", false, List.of(SELF_NAME));

    private static final OpenApi.DescribedKind BOAT = new OpenApi.DescribedKind(
            new DiscoveredKind(
                    "sea.example.com",
                    "v2",
                    "Boat",
                    "boats",
                    "boat",
                    List.of(),
                    List.of(),
                    ResourceScope.CLUSTER,
                    List.of(),
                    List.of()),
            new Struct(
                    "Boat",
                    "Floats.",
                    false,
                    List.of(
                            new SchemaField(
                                    "crew",
                                    new ListOf(Scalar.STRING, ListKind.SET, List.of()),
                                    true,
                                    "Sailors.",
                                    PatchStrategy.MERGE,
                                    Optional.empty(),
                                    Optional.empty()),
                            new SchemaField(
                                    "masts",
                                    Scalar.INT32,
                                    false,
                                    "How many.",
                                    PatchStrategy.DEFAULT,
                                    Optional.empty(),
                                    Optional.of("2")),
                            field("near", LOOSE_POINT),
                            field("here", POINT),
                            field("stops", new ListOf(POINT, ListKind.MAP, List.of("name"))),
                            field("fuel", new MapOf(Scalar.QUANTITY, true)),
                            field("port", Scalar.INT_OR_STRING),
                            field("seen", Scalar.MICRO_TIME),
                            field("more", Scalar.ANY))));

    @Test
    void writer_v3_writesCompleteSchemas() throws IOException {
        assertThat(new ObjectMapper().readTree(schemasIn(OpenApi.Dialect.V3).toString()))
                .isEqualTo(new ObjectMapper().readTree("""
                    {"com.example.sea.v2.Boat": {"description": "Floats.", "type": "object", "required": ["crew"],
                      "properties": {
                        "crew": {"description": "Sailors.", "type": "array", "items": {"type": "string", "default": ""},
                          "x-kubernetes-list-type": "set", "x-kubernetes-patch-strategy": "merge"},
                        "masts": {"description": "How many.", "type": "integer", "format": "int32", "default": 2},
                        "near": {"allOf": [{"$ref": "#/components/schemas/com.example.sea.v2.Point"}],
                          "x-kubernetes-map-type": "granular"},
                        "here": {"allOf": [{"$ref": "#/components/schemas/com.example.sea.v2.Point"}]},
                        "stops": {"type": "array", "items":
                            {"allOf": [{"$ref": "#/components/schemas/com.example.sea.v2.Point"}], "default": {}},
                          "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]},
                        "fuel": {"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties":
                          {"allOf": [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.api.resource.Quantity"}]}},
                        "port": {"allOf":
                          [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.util.intstr.IntOrString"}]},
                        "seen": {"allOf":
                          [{"$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime"}]},
                        "more": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
                      "x-kubernetes-group-version-kind": [{"group": "sea.example.com", "kind": "Boat", "version": "v2"}]},
                     "com.example.sea.v2.Point": {"description": "A point.", "type": "object",
                      "properties": {"name": {"type": "string"}}, "x-kubernetes-map-type": "atomic"},
                     "io.k8s.apimachinery.pkg.api.resource.Quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
                     "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": {"type": "string", "format": "date-time"},
                     "io.k8s.apimachinery.pkg.util.intstr.IntOrString":
                      {"format": "int-or-string", "oneOf": [{"type": "integer"}, {"type": "string"}]}}
                    """));
    }

    @Test
    void writer_v2_omitsDefaultsAndCombinators() throws IOException {
        ObjectNode schemas = schemasIn(OpenApi.Dialect.V2);

        assertThat(schemas.at("/com.example.sea.v2.Boat/properties/stops")).isEqualTo(new ObjectMapper().readTree("""
            {"type": "array", "items": {"$ref": "#/definitions/com.example.sea.v2.Point"},
             "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
            """));
        assertThat(schemas.findValues("default")).isEmpty();
        assertThat(schemas.findValues("allOf")).isEmpty();
        assertThat(schemas.findValues("oneOf")).isEmpty();
    }

    /** Returns the schemas without descriptions of the built-in types. */
    private static ObjectNode schemasIn(OpenApi.Dialect dialect) {
        SchemaWriter writer = new SchemaWriter(dialect, new SchemaNames(List.of(BOAT)));
        writer.add(BOAT);
        ObjectNode schemas = writer.schemas();
        schemas.properties().forEach(schema -> {
            if (schema.getKey().startsWith("io.k8s.")) {
                ((ObjectNode) schema.getValue()).remove("description");
            }
        });
        return schemas;
    }

    private static SchemaField field(String name, SchemaType type) {
        return new SchemaField(name, type, false, "", PatchStrategy.DEFAULT, Optional.empty(), Optional.empty());
    }
}
