package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.ObjectLookup;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads entries of ConfigMaps and Secrets of one namespace as text, with the kubelet's error messages. */
final class ConfigAndSecretValues {
    /** The kind of object. */
    enum Kind {
        CONFIG_MAP("configmaps", "configmap", "ConfigMap", "configMap"),
        SECRET("secrets", "secret", "Secret", "secret");

        private final String resource;
        private final String label;
        private final String kind;
        private final String field;

        Kind(String resource, String word, String kind, String field) {
            this.resource = resource;
            this.label = word;
            this.kind = kind;
            this.field = field;
        }

        /** Returns the field in {@code envFrom}. */
        String wholeField() {
            return field + "Ref";
        }

        /** Returns the field in {@code valueFrom}. */
        String keyField() {
            return field + "KeyRef";
        }

        String envFromLabel() {
            return field;
        }
    }

    private final String namespace;
    private final ObjectLookup objects;

    ConfigAndSecretValues(String namespace, ObjectLookup objects) {
        this.namespace = namespace;
        this.objects = objects;
    }

    /** Returns all text entries; empty if the object is missing and optional. */
    Map<String, String> entries(Kind kind, JsonNode reference) throws ConfigException {
        Map<String, String> all = new LinkedHashMap<>();
        Optional<ObjectNode> object = find(kind, reference);
        if (object.isPresent()) {
            for (Map.Entry<String, JsonNode> each : object.get().path("data").properties()) {
                all.put(each.getKey(), text(kind, reference, each.getKey(), each.getValue()));
            }
        }
        return all;
    }

    /** Returns an entry; empty if it is missing and optional. */
    Optional<String> entry(Kind kind, JsonNode reference) throws ConfigException {
        Optional<ObjectNode> object = find(kind, reference);
        if (object.isEmpty()) {
            return Optional.empty();
        }
        String key = reference.path("key").asText("");
        JsonNode value = object.get().path("data").path(key);
        if (value.isMissingNode()) {
            if (isOptional(reference)) {
                return Optional.empty();
            }
            throw ConfigException.configError(
                    "couldn't find key " + key + " in " + kind.kind + ' ' + namespace + '/' + name(reference));
        }
        return Optional.of(text(kind, reference, key, value));
    }

    private Optional<ObjectNode> find(Kind kind, JsonNode reference) throws ConfigException {
        Optional<ObjectNode> object = key(kind, name(reference)).flatMap(objects::find);
        if (object.isEmpty() && !isOptional(reference)) {
            throw ConfigException.configError(kind.label + " \"" + name(reference) + "\" not found");
        }
        return object;
    }

    /** Returns the key; empty if the name is invalid. */
    private Optional<ObjectKey> key(Kind kind, String name) {
        try {
            return name.indexOf('/') < 0
                    ? Optional.of(ObjectKey.namespaced(kind.resource, namespace, name))
                    : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static String name(JsonNode reference) {
        return reference.path("name").asText("");
    }

    private static boolean isOptional(JsonNode reference) {
        return reference.path("optional").asBoolean(false);
    }

    private static String text(Kind kind, JsonNode reference, String key, JsonNode value) throws ConfigException {
        if (kind == Kind.CONFIG_MAP) {
            return value.asText("");
        }
        try {
            return new String(Base64.getDecoder().decode(value.asText("")), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            // Omits the decoder's message, which may quote the secret.
            throw ConfigException.configError(
                    "entry " + key + " of secret \"" + name(reference) + "\" is not valid base64; correct its value");
        }
    }
}
