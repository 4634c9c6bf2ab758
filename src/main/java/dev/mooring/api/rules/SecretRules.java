package dev.mooring.api.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.kind.Violations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/**
 * Rules of Secrets. What comes in clear in {@code stringData} is moved to {@code data}, and never stored or shown as it came. Messages
 * never repeat what is in a secret. Stateless; any thread.
 */
public final class SecretRules implements Rules {
    private static final String ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name";
    private static final String REDACTED = "<secret contents redacted>";
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    @Override
    public void prepareForCreate(ObjectNode object) {
        moveTextToData(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        moveTextToData(next);
        if (Fields.text(next, "type").isEmpty()) {
            Fields.takeFrom(before, "type", next);
        }
    }

    private static void moveTextToData(ObjectNode object) {
        JsonNode texts = object.remove("stringData");
        if (texts == null || texts.isEmpty()) {
            return;
        }
        ObjectNode data = Fields.object(object, "data");
        for (var each : texts.properties()) {
            byte[] bytes = each.getValue().asText("").getBytes(StandardCharsets.UTF_8);
            data.put(each.getKey(), Base64.getEncoder().encodeToString(bytes));
        }
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        Fields.defaultText(object, "type", "Opaque");
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode data = Fields.get(object, "data");
        KeyedData.keys(data, "data", violations);
        if (KeyedData.decodedBytes(data) > KeyedData.BYTES_MAX) {
            violations.tooLong("data", KeyedData.BYTES_MAX);
        }
        switch (Fields.text(object, "type")) {
            case "kubernetes.io/service-account-token" -> {
                JsonNode annotations = Fields.get(object, "metadata", "annotations");
                if (Fields.text(annotations, ACCOUNT_ANNOTATION).isEmpty()) {
                    violations.required("metadata.annotations[" + ACCOUNT_ANNOTATION + ']', "");
                }
            }
            case "kubernetes.io/dockercfg" -> validateJson(data, ".dockercfg", violations);
            case "kubernetes.io/dockerconfigjson" -> validateJson(data, ".dockerconfigjson", violations);
            case "kubernetes.io/basic-auth" -> {
                if (!data.has("username") && !data.has("password")) {
                    violations.required("data[username]", "");
                    violations.required("data[password]", "");
                }
            }
            case "kubernetes.io/ssh-auth" -> {
                if (Fields.text(data, "ssh-privatekey").isEmpty()) {
                    violations.required("data[ssh-privatekey]", "");
                }
            }
            case "kubernetes.io/tls" -> {
                requireKey(data, "tls.crt", violations);
                requireKey(data, "tls.key", violations);
            }
            default -> {
                // Kubernetes knows no more types, and lets others define theirs.
            }
        }
    }

    private static boolean requireKey(JsonNode data, String key, Violations violations) {
        if (!data.has(key)) {
            violations.required("data[" + key + ']', "");
            return false;
        }
        return true;
    }

    private static void validateJson(JsonNode data, String key, Violations violations) {
        if (!requireKey(data, key, violations)) {
            return;
        }
        try {
            JsonNode found =
                    JSON.readTree(Base64.getDecoder().decode(data.get(key).asText("")));
            if (!found.isObject() && !found.isNull()) {
                String type = found.getNodeType().name().toLowerCase(Locale.ROOT);
                violations.invalid(
                        "data[" + key + ']',
                        REDACTED,
                        "json: cannot unmarshal " + type + " into Go value of type map[string]interface {}");
            }
        } catch (JsonProcessingException e) {
            violations.invalid("data[" + key + ']', REDACTED, "invalid JSON");
        } catch (IOException | IllegalArgumentException e) {
            violations.invalid("data[" + key + ']', REDACTED, "invalid base64");
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        if (!Fields.text(next, "type").equals(Fields.text(before, "type"))) {
            violations.invalid("type", Fields.text(next, "type"), "field is immutable");
        }
        KeyedData.frozen(next, before, violations, "data");
    }
}
