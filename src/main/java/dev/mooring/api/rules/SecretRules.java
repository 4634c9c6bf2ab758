package dev.mooring.api.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/**
 * Rules of Secrets. {@code stringData} is moved to {@code data} and is never stored or returned. Messages never contain
 * secret values. Stateless; thread-safe.
 */
public final class SecretRules implements Rules {
    private static final String ACCOUNT_ANNOTATION = "kubernetes.io/service-account.name";
    private static final String REDACTED = "<secret contents redacted>";

    @Override
    public void prepareForCreate(ObjectNode object) {
        moveTextToData(object);
    }

    @Override
    public void prepareForUpdate(ObjectNode next, ObjectNode before) {
        moveTextToData(next);
        if (JsonFields.text(next, "type").isEmpty()) {
            JsonFields.takeFrom(before, "type", next);
        }
    }

    private static void moveTextToData(ObjectNode object) {
        JsonNode texts = object.remove("stringData");
        if (texts == null || texts.isEmpty()) {
            return;
        }
        ObjectNode data = JsonFields.object(object, "data");
        for (var each : texts.properties()) {
            byte[] bytes = each.getValue().asText("").getBytes(StandardCharsets.UTF_8);
            data.put(each.getKey(), Base64.getEncoder().encodeToString(bytes));
        }
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        JsonFields.defaultText(object, "type", "Opaque");
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode data = JsonFields.get(object, "data");
        KeyedDataRules.keys(data, "data", violations);
        if (KeyedDataRules.decodedBytes(data) > KeyedDataRules.BYTES_MAX) {
            violations.tooLong("data", KeyedDataRules.BYTES_MAX);
        }
        switch (JsonFields.text(object, "type")) {
            case "kubernetes.io/service-account-token" -> {
                JsonNode annotations = JsonFields.get(object, "metadata", "annotations");
                if (JsonFields.text(annotations, ACCOUNT_ANNOTATION).isEmpty()) {
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
                if (JsonFields.text(data, "ssh-privatekey").isEmpty()) {
                    violations.required("data[ssh-privatekey]", "");
                }
            }
            case "kubernetes.io/tls" -> {
                requireKey(data, "tls.crt", violations);
                requireKey(data, "tls.key", violations);
            }
            default -> {
                // Other types are user-defined and have no rules, as in Kubernetes.
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
            JsonNode found = Json.SINGLE_VALUE.readTree(
                    Base64.getDecoder().decode(data.get(key).asText("")));
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
        if (!JsonFields.text(next, "type").equals(JsonFields.text(before, "type"))) {
            violations.invalid("type", JsonFields.text(next, "type"), "field is immutable");
        }
        KeyedDataRules.validateImmutable(next, before, violations, "data");
    }
}
