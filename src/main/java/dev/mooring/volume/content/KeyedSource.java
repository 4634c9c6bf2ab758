package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Set;

/**
 * Entries of a ConfigMap or Secret as files: all, each under its key, or those that {@code items} lists.
 *
 * @param optional whether an object or entry that does not exist is passed over
 */
record KeyedSource(Kind kind, String name, JsonNode items, int defaultMode, boolean optional) implements ContentSource {
    /** What the entries are of. */
    enum Kind {
        CONFIG_MAP("configmaps", "configmap", "configmap references non-existent config key: "),
        SECRET("secrets", "secret", "references non-existent secret key: ");

        private final String resource;
        private final String word;
        private final String lacksKey;

        Kind(String resource, String word, String lacksKey) {
            this.resource = resource;
            this.word = word;
            this.lacksKey = lacksKey;
        }
    }

    /** From a volume's source, which has a mode of its own. {@code nameField} is what the field with the object's name is called. */
    static KeyedSource volume(Kind kind, String nameField, JsonNode source) {
        return of(kind, nameField, source, source.path("defaultMode").asInt(DEFAULT_MODE));
    }

    /** From one of the sources of a projected volume, which share a mode. */
    static KeyedSource projection(Kind kind, JsonNode source, int defaultMode) {
        return of(kind, "name", source, defaultMode);
    }

    private static KeyedSource of(Kind kind, String nameField, JsonNode source, int defaultMode) {
        return new KeyedSource(
                kind,
                source.path(nameField).asText(""),
                source.path("items"),
                defaultMode,
                source.path("optional").asBoolean(false));
    }

    @Override
    public Set<ObjectKey> madeOf(String namespace) {
        return Surroundings.key(kind.resource, namespace, name).map(Set::of).orElse(Set.of());
    }

    @Override
    public void describe(Surroundings surroundings, ContentVersion version) {
        JsonNode metadata = surroundings
                .find(kind.resource, name)
                .map(object -> object.path("metadata"))
                .orElse(null);
        version.add(kind.word + '/' + name);
        version.add(metadata == null ? "missing" : metadata.path("uid").asText(""));
        version.add(metadata == null ? "" : metadata.path("resourceVersion").asText(""));
    }

    @Override
    public void collect(Surroundings surroundings, Map<String, ContentFile> files) throws VolumeException {
        ObjectNode object = surroundings.find(kind.resource, name).orElse(null);
        if (object == null) {
            if (!optional) {
                throw VolumeException.clean("NotFound", kind.word + " \"" + name + "\" not found");
            }
            return;
        }
        if (items.isEmpty()) {
            for (String field : new String[] {"data", "binaryData"}) {
                for (Map.Entry<String, JsonNode> entry : object.path(field).properties()) {
                    put(files, entry.getKey(), bytes(object, entry.getKey()), defaultMode);
                }
            }
            return;
        }
        for (JsonNode item : items) {
            String key = item.path("key").asText("");
            byte[] bytes = bytes(object, key);
            if (bytes != null) {
                put(
                        files,
                        item.path("path").asText(""),
                        bytes,
                        item.path("mode").asInt(defaultMode));
            } else if (!optional) {
                throw VolumeException.clean("NotFound", kind.lacksKey + key);
            }
        }
    }

    private static void put(Map<String, ContentFile> files, String path, byte[] bytes, int mode) {
        files.put(path, new ContentFile(bytes, mode));
    }

    /** Null if it has no such entry. */
    private byte[] bytes(ObjectNode object, String key) throws VolumeException {
        JsonNode data = object.path("data").get(key);
        if (data != null && kind == Kind.CONFIG_MAP) {
            return data.asText("").getBytes(StandardCharsets.UTF_8);
        }
        JsonNode encoded = data == null && kind == Kind.CONFIG_MAP
                ? object.path("binaryData").get(key)
                : data;
        if (encoded == null) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(encoded.asText(""));
        } catch (IllegalArgumentException e) {
            // Without the decoder's words, which may quote what is secret.
            throw VolumeException.clean(
                    "InvalidData",
                    "Expected entry " + key + " of " + kind.word + " \"" + name
                            + "\" to be base64, but it is not; write it again");
        }
    }
}
