package dev.mooring.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** What the history remembers of an object. */
final class Reading {
    private Reading() {}

    /** ConfigMaps hold their value as data, all others as a label. */
    static String value(JsonNode object) {
        JsonNode data = object.at("/data/v");
        return data.isMissingNode() ? object.at("/metadata/labels/v").asText() : data.asText();
    }

    static String uid(JsonNode object) {
        return object.at("/metadata/uid").asText();
    }

    static long revision(JsonNode object) {
        return object.at("/metadata/resourceVersion").asLong();
    }

    static Call.Seen seen(JsonNode object) {
        return new Call.Seen(revision(object), uid(object), value(object), print(object));
    }

    /** The same for the same content, down to the order of its fields. Items of lists lack what the list says for all. */
    static long print(JsonNode object) {
        com.fasterxml.jackson.databind.node.ObjectNode copy = object.deepCopy();
        copy.remove("kind");
        copy.remove("apiVersion");
        byte[] bytes = copy.toString().getBytes(StandardCharsets.UTF_8);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return (long) bytes.length << 32 | crc.getValue();
    }

    /** The key of an object of a resource. */
    static String key(String resource, JsonNode object) {
        String namespace = object.at("/metadata/namespace").asText();
        return resource + "/" + (namespace.isEmpty() ? "" : namespace + "/")
                + object.at("/metadata/name").asText();
    }
}
