package dev.mooring.volume.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.VolumeException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/**
 * Entries of a ConfigMap or Secret as files: all entries, each under its key, or those listed in {@code items}.
 *
 * @param optional whether missing objects and entries are skipped
 */
record KeyedSource(KeyedObjectKind kind, String name, JsonNode items, int defaultMode, boolean optional)
        implements ContentSource {
    /** Kind of the object that holds the entries. */
    enum KeyedObjectKind {
        CONFIG_MAP("configmaps", "configmap", "configmap references non-existent config key: "),
        SECRET("secrets", "secret", "references non-existent secret key: ");

        private final String resource;
        private final String description;
        private final String missingKeyMessage;

        KeyedObjectKind(String resource, String word, String lacksKey) {
            this.resource = resource;
            this.description = word;
            this.missingKeyMessage = lacksKey;
        }
    }

    /** Parses a volume source. {@code nameField} is the field with the object's name. */
    static KeyedSource volume(KeyedObjectKind kind, String nameField, JsonNode source) {
        return of(kind, nameField, source, source.path("defaultMode").asInt(DEFAULT_MODE));
    }

    /** Parses one source of a projected volume, which has a common default mode. */
    static KeyedSource projection(KeyedObjectKind kind, JsonNode source, int defaultMode) {
        return of(kind, "name", source, defaultMode);
    }

    private static KeyedSource of(KeyedObjectKind kind, String nameField, JsonNode source, int defaultMode) {
        return new KeyedSource(
                kind,
                source.path(nameField).asText(""),
                source.path("items"),
                defaultMode,
                source.path("optional").asBoolean(false));
    }

    @Override
    public void describe(ContentContext context, ContentVersion version) {
        JsonNode metadata = context.find(kind.resource, name)
                .map(object -> object.path("metadata"))
                .orElse(null);
        version.add(kind.description + '/' + name);
        version.add(metadata == null ? "missing" : metadata.path("uid").asText(""));
        version.add(metadata == null ? "" : metadata.path("resourceVersion").asText(""));
    }

    @Override
    public void collect(ContentContext context, Map<String, ContentFile> files) throws VolumeException {
        ObjectNode object = context.find(kind.resource, name).orElse(null);
        if (object == null) {
            if (!optional) {
                throw VolumeException.clean("NotFound", kind.description + " \"" + name + "\" not found");
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
                throw VolumeException.clean("NotFound", kind.missingKeyMessage + key);
            }
        }
    }

    private static void put(Map<String, ContentFile> files, String path, byte[] bytes, int mode) {
        files.put(path, new ContentFile(bytes, mode));
    }

    /** Returns the value of the entry; null if there is none. */
    private byte[] bytes(ObjectNode object, String key) throws VolumeException {
        JsonNode data = object.path("data").get(key);
        if (data != null && kind == KeyedObjectKind.CONFIG_MAP) {
            return data.asText("").getBytes(StandardCharsets.UTF_8);
        }
        JsonNode encoded = data == null && kind == KeyedObjectKind.CONFIG_MAP
                ? object.path("binaryData").get(key)
                : data;
        if (encoded == null) {
            return null;
        }
        try {
            return Base64.getDecoder().decode(encoded.asText(""));
        } catch (IllegalArgumentException e) {
            // The decoder's message is omitted, because it may quote the secret.
            throw VolumeException.clean(
                    "InvalidData",
                    "Entry " + key + " of " + kind.description + " \"" + name
                            + "\" is not valid base64; write it again");
        }
    }
}
