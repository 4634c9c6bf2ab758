package dev.mooring.api.apply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type.Struct;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Getting along with {@code kubectl apply} as it was before server-side apply: the configuration that was applied is in an
 * annotation of the object. Whoever turns to {@code --server-side} keeps what is theirs by that annotation, and it is kept up to
 * date for those who turn back. Only for the manager {@code kubectl}.
 */
final class ClientSideApply {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

    /** All annotations of an object together. */
    private static final int MAX_LENGTH = 256 * 1024;

    private ClientSideApply() {}

    static boolean concerns(Manager manager) {
        return manager.name().equals("kubectl");
    }

    /** Fields that were applied in the old way and still have the values they had then. */
    static FieldSet fields(Struct type, String apiVersion, JsonNode live) {
        Optional<JsonNode> last = lastApplied(live);
        if (last.isEmpty() || !apiVersion.equals(last.get().path("apiVersion").asText())) {
            return FieldSet.EMPTY;
        }
        Comparison since = Comparison.of(type, last.get(), live, Unowned.byNobody());
        return FieldsOfValue.of(type, last.get()).difference(since.changed()).difference(since.removed());
    }

    private static Optional<JsonNode> lastApplied(JsonNode live) {
        try {
            return Optional.of(JSON.readTree(annotations(live).path(ANNOTATION).asText()))
                    .filter(JsonNode::isObject);
        } catch (JsonProcessingException notJson) {
            return Optional.empty();
        }
    }

    private static JsonNode annotations(JsonNode object) {
        return object.path("metadata").path("annotations");
    }

    /** Writes the configuration into the annotation if the object has it. */
    static void refresh(ObjectNode object, ObjectNode configuration) {
        if (annotations(object).path(ANNOTATION).asText().isEmpty()) {
            return;
        }
        ObjectNode annotations = (ObjectNode) annotations(object);
        ObjectNode copy = configuration.deepCopy();
        if (annotations(copy) instanceof ObjectNode ofCopy) {
            ofCopy.remove(ANNOTATION);
        }
        annotations.put(ANNOTATION, asGoWritesIt(copy));
        int length = 0;
        for (Map.Entry<String, JsonNode> each : annotations.properties()) {
            length += each.getKey().length() + each.getValue().asText().length();
        }
        if (length > MAX_LENGTH) {
            annotations.remove(ANNOTATION);
        }
    }

    /** Fields in order, characters of HTML hidden, a line break at the end. */
    private static String asGoWritesIt(JsonNode value) {
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
