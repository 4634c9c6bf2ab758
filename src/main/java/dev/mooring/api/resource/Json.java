package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Stored objects as trees and back, and the order of their first fields. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static ObjectNode tree(StoredObject object) {
        try {
            return (ObjectNode) MAPPER.readTree(object.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Expected " + object.key() + " to be JSON, but it is not", e);
        }
    }

    static byte[] bytes(JsonNode node) {
        try {
            return MAPPER.writeValueAsBytes(node);
        } catch (IOException e) {
            throw new UncheckedIOException("Expected to encode an object, but it failed", e);
        }
    }

    /** The object with kind, apiVersion and metadata in front, as Kubernetes writes it. Shares the parts. */
    static ObjectNode ordered(ObjectNode object) {
        ObjectNode ordered = JsonNodeFactory.instance.objectNode();
        ordered.set("kind", object.get("kind"));
        ordered.set("apiVersion", object.get("apiVersion"));
        ordered.set("metadata", object.get("metadata"));
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            ordered.putIfAbsent(field.getKey(), field.getValue());
        }
        return ordered;
    }

    /** The object's metadata, which is made if it is missing. */
    static ObjectNode metadata(ObjectNode object) {
        JsonNode metadata = object.get("metadata");
        return metadata instanceof ObjectNode found ? found : object.putObject("metadata");
    }

    static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }
}
