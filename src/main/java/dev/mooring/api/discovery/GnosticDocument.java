package dev.mooring.api.discovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * Encodes an OpenAPI 2 document as protobuf: {@code openapi.v2.Document} of gnostic, the only format kubectl requests.
 * Supports only the output of {@link SchemaWriter} and {@link PathsWriter}. The field numbers are those of gnostic's
 * {@code OpenAPIv2.proto}.
 */
final class GnosticDocument {
    private GnosticDocument() {}

    static byte[] of(ObjectNode document) {
        return ProtobufWriter.message(out -> {
            out.string(1, document.get("swagger").textValue());
            out.nested(2, info -> {
                info.string(1, document.at("/info/title").textValue());
                info.string(2, document.at("/info/version").textValue());
            });
            out.nested(
                    8,
                    paths -> document.get("paths")
                            .properties()
                            .forEach(path -> paths.nested(2, named -> {
                                named.string(1, path.getKey());
                                named.nested(2, item -> pathItem(item, path.getValue()));
                            })));
            out.nested(
                    9,
                    definitions -> document.get("definitions")
                            .properties()
                            .forEach(schema -> namedSchema(definitions, schema)));
        });
    }

    private static void pathItem(ProtobufWriter out, JsonNode item) {
        operation(out, 2, item.path("get"));
        operation(out, 3, item.path("put"));
        operation(out, 4, item.path("post"));
        operation(out, 5, item.path("delete"));
        operation(out, 8, item.path("patch"));
        item.path("parameters").forEach(parameter -> out.nested(9, it -> pathParameter(it, parameter)));
    }

    private static void operation(ProtobufWriter out, int number, JsonNode operation) {
        if (operation.isMissingNode()) {
            return;
        }
        out.nested(number, it -> {
            it.string(5, operation.get("operationId").textValue());
            operation.path("consumes").forEach(format -> it.string(7, format.textValue()));
            operation.path("parameters").forEach(each -> it.nested(8, item -> queryParameter(item, each)));
            it.nested(
                    9,
                    responses -> responses.nested(1, named -> {
                        named.string(1, "200");
                        named.nested(2, value -> value.nested(1, response -> response.string(1, "OK")));
                    }));
            extensions(it, 13, operation);
        });
    }

    /** Writes ParametersItem, Parameter, NonBodyParameter, QueryParameterSubSchema. */
    private static void queryParameter(ProtobufWriter out, JsonNode parameter) {
        out.nested(
                1,
                one -> one.nested(
                        2,
                        nonBody -> nonBody.nested(3, query -> {
                            query.string(2, "query");
                            query.string(4, parameter.get("name").textValue());
                            query.string(6, parameter.get("type").textValue());
                            query.bool(20, true);
                        })));
    }

    /** Writes ParametersItem, Parameter, NonBodyParameter, PathParameterSubSchema. */
    private static void pathParameter(ProtobufWriter out, JsonNode parameter) {
        out.nested(
                1,
                one -> one.nested(
                        2,
                        nonBody -> nonBody.nested(4, path -> {
                            path.bool(1, true);
                            path.string(2, "path");
                            path.string(4, parameter.get("name").textValue());
                            path.string(5, parameter.get("type").textValue());
                            path.bool(19, true);
                        })));
    }

    private static void namedSchema(ProtobufWriter out, Map.Entry<String, JsonNode> schema) {
        out.nested(1, named -> {
            named.string(1, schema.getKey());
            named.nested(2, value -> schema(value, schema.getValue()));
        });
    }

    private static void schema(ProtobufWriter out, JsonNode schema) {
        text(out, 1, schema.path("$ref"));
        text(out, 2, schema.path("format"));
        text(out, 4, schema.path("description"));
        schema.path("required").forEach(name -> out.string(19, name.textValue()));
        if (schema.has("additionalProperties")) {
            out.nested(21, item -> item.nested(1, value -> schema(value, schema.get("additionalProperties"))));
        }
        if (schema.has("type")) {
            out.nested(22, type -> type.string(1, schema.get("type").textValue()));
        }
        if (schema.has("items")) {
            out.nested(23, items -> items.nested(1, value -> schema(value, schema.get("items"))));
        }
        if (schema.has("properties")) {
            out.nested(
                    25,
                    properties -> schema.get("properties")
                            .properties()
                            .forEach(property -> namedSchema(properties, property)));
        }
        extensions(out, 31, schema);
    }

    /** Writes NamedAny with a YAML value; JSON is valid YAML. */
    private static void extensions(ProtobufWriter out, int number, JsonNode of) {
        for (Map.Entry<String, JsonNode> entry : of.properties()) {
            if (entry.getKey().startsWith("x-")) {
                out.nested(number, named -> {
                    named.string(1, entry.getKey());
                    named.nested(2, any -> any.string(2, entry.getValue().toString()));
                });
            }
        }
    }

    private static void text(ProtobufWriter out, int number, JsonNode value) {
        if (value.isTextual()) {
            out.string(number, value.textValue());
        }
    }
}
