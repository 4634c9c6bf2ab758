package dev.mooring.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.StatusException;
import dev.mooring.api.types.BodyFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Redacts request bodies for the audit log. Of Secrets and tokens, only values of known harmless fields and the names
 * of other fields are kept, because a client may send the secret in any field. Pure; thread-safe.
 */
final class AuditBodyRedactor {
    private static final String REDACTED = "REDACTED";
    private static final Set<String> SECRET_RESOURCES = Set.of("secrets", "tokens");
    private static final Set<String> SECRET_KINDS = Set.of("Secret", "SecretList", "Token", "TokenList", "List");

    /** Fields of an object or of a JSON patch operation whose values are kept. */
    private static final Set<String> SHOWN = Set.of("apiVersion", "kind", "type", "immutable", "op", "path", "from");

    private static final Set<String> SHOWN_METADATA =
            Set.of("name", "namespace", "generateName", "labels", "finalizers", "resourceVersion", "uid");

    private static final Set<String> SHOWN_OF_TOKENS =
            Set.of("user", "role", "namespaces", "expires", "serviceAccount");

    private AuditBodyRedactor() {}

    /** Returns the redacted body; empty if it cannot be decoded. */
    static Optional<JsonNode> redact(String resource, String contentType, byte[] body) {
        try {
            JsonNode content = decode(contentType, body);
            boolean secret = SECRET_RESOURCES.contains(resource)
                    || SECRET_KINDS.contains(content.path("kind").asText());
            return Optional.of(
                    secret ? withoutSecrets(content, resource.equals("tokens") ? SHOWN_OF_TOKENS : Set.of()) : content);
        } catch (StatusException e) {
            return Optional.empty();
        }
    }

    private static JsonNode decode(String contentType, byte[] body) {
        String media = RequestBodyDecoder.mediaType(contentType);
        if (media.endsWith("-patch+yaml")) {
            return RequestBodyDecoder.parse(body, BodyFormat.YAML).root();
        }
        if (media.endsWith("+json")) {
            return RequestBodyDecoder.parse(body, BodyFormat.JSON).root();
        }
        return RequestBodyDecoder.decodeUntyped(contentType, body);
    }

    private static JsonNode withoutSecrets(JsonNode content, Set<String> shownSpec) {
        if (content instanceof ArrayNode operations) {
            ArrayNode redacted = JsonNodeFactory.instance.arrayNode();
            operations.forEach(each -> redacted.add(withoutSecrets(each, shownSpec)));
            return redacted;
        }
        if (!(content instanceof ObjectNode object)) {
            return JsonNodeFactory.instance.textNode(REDACTED);
        }
        ObjectNode redacted = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            switch (field.getKey()) {
                case "metadata" -> redacted.set("metadata", shown(field.getValue(), SHOWN_METADATA));
                case "data", "stringData" -> redacted.set(field.getKey(), shown(field.getValue(), Set.of()));
                case "spec" -> redacted.set("spec", shown(field.getValue(), shownSpec));
                default ->
                    redacted.set(
                            field.getKey(),
                            SHOWN.contains(field.getKey()) && field.getValue().isValueNode()
                                    ? field.getValue()
                                    : JsonNodeFactory.instance.textNode(REDACTED));
            }
        }
        return redacted;
    }

    /** Returns all field names, with the values of the given fields only. */
    private static JsonNode shown(JsonNode content, Set<String> fields) {
        ObjectNode redacted = JsonNodeFactory.instance.objectNode();
        for (Map.Entry<String, JsonNode> field : content.properties()) {
            redacted.set(
                    field.getKey(),
                    fields.contains(field.getKey()) ? field.getValue() : JsonNodeFactory.instance.textNode(REDACTED));
        }
        return redacted;
    }
}
