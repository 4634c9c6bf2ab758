package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

/** Converts stored objects to trees and back, and orders their first fields. */
final class ObjectJson {
    private ObjectJson() {}

    static ObjectNode tree(StoredObject object) {
        try {
            return (ObjectNode) Json.MAPPER.readTree(object.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Stored object " + object.key() + " is not JSON", e);
        }
    }

    static byte[] bytes(JsonNode node) {
        try {
            return Json.MAPPER.writeValueAsBytes(node);
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode object", e);
        }
    }

    /** Returns the object with kind, apiVersion and metadata first, as Kubernetes writes it. Shares the subtrees. */
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

    /** Returns the object's metadata; adds it if it is missing. */
    static ObjectNode metadata(ObjectNode object) {
        JsonNode metadata = object.get("metadata");
        return metadata instanceof ObjectNode found ? found : object.putObject("metadata");
    }

    static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }
}
