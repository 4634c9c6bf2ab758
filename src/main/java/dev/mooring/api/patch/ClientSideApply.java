package dev.mooring.api.patch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType.Struct;
import dev.mooring.model.Json;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Compatibility with client-side {@code kubectl apply}, which stores the applied configuration in an annotation. When a
 * user migrates to {@code --server-side}, the annotation determines the fields they own; it is kept up to date so that
 * they can migrate back. Only applies to the manager {@code kubectl}.
 */
final class ClientSideApply {
    private static final String ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

    /** Maximum size of all annotations of an object. */
    private static final int MAX_LENGTH = 256 * 1024;

    private ClientSideApply() {}

    static boolean appliesTo(Manager manager) {
        return manager.name().equals("kubectl");
    }

    /** Returns the fields that were applied client-side and still have the applied values. */
    static FieldSet fields(Struct type, String apiVersion, JsonNode live) {
        Optional<JsonNode> last = lastApplied(live);
        if (last.isEmpty() || !apiVersion.equals(last.get().path("apiVersion").asText())) {
            return FieldSet.EMPTY;
        }
        Comparison since = Comparison.of(type, last.get(), live, UnownedFields.serverManagedOnly());
        return AppliedFields.of(type, last.get()).difference(since.changed()).difference(since.removed());
    }

    private static Optional<JsonNode> lastApplied(JsonNode live) {
        try {
            return Optional.of(Json.MAPPER.readTree(
                            annotations(live).path(ANNOTATION).asText()))
                    .filter(JsonNode::isObject);
        } catch (JsonProcessingException notJson) {
            return Optional.empty();
        }
    }

    private static JsonNode annotations(JsonNode object) {
        return object.path("metadata").path("annotations");
    }

    /** Updates the annotation with the configuration if the object has the annotation. */
    static void refreshAnnotation(ObjectNode object, ObjectNode configuration) {
        if (annotations(object).path(ANNOTATION).asText().isEmpty()) {
            return;
        }
        ObjectNode annotations = (ObjectNode) annotations(object);
        ObjectNode copy = configuration.deepCopy();
        if (annotations(copy) instanceof ObjectNode ofCopy) {
            ofCopy.remove(ANNOTATION);
        }
        annotations.put(ANNOTATION, toGoJson(copy));
        int length = 0;
        for (Map.Entry<String, JsonNode> each : annotations.properties()) {
            length += each.getKey().length() + each.getValue().asText().length();
        }
        if (length > MAX_LENGTH) {
            annotations.remove(ANNOTATION);
        }
    }

    /** Encodes a value as Go does: sorted fields, escaped HTML characters, trailing line break. */
    private static String toGoJson(JsonNode value) {
        return sorted(value)
                        .toString()
                        .replace("<", "\\u003c")
                        .replace(">", "\\u003e")
                        .replace("&", "\\u0026") + "\n";
    }

    private static JsonNode sorted(JsonNode value) {
        if (value.isObject()) {
            Map<String, JsonNode> fields = new TreeMap<>();
            value.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
            return JsonNodeFactory.instance.objectNode().setAll(fields);
        }
        if (value.isArray()) {
            var items = JsonNodeFactory.instance.arrayNode(value.size());
            value.forEach(item -> items.add(sorted(item)));
            return items;
        }
        return value;
    }
}
