package dev.mooring.chaos.process;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** Reads the properties of an object that the history records. */
final class HistoryObjectReader {
    private HistoryObjectReader() {}

    /** Returns the value: the data of a ConfigMap, a label of other objects. */
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

    static RecordedCall.SeenObject seen(JsonNode object) {
        return new RecordedCall.SeenObject(revision(object), uid(object), value(object), digest(object));
    }

    /** Returns a digest of the content and the order of fields, without kind and apiVersion, which list items lack. */
    static long digest(JsonNode object) {
        com.fasterxml.jackson.databind.node.ObjectNode copy = object.deepCopy();
        copy.remove("kind");
        copy.remove("apiVersion");
        byte[] bytes = copy.toString().getBytes(StandardCharsets.UTF_8);
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, bytes.length);
        return (long) bytes.length << 32 | crc.getValue();
    }

    /** Returns whether a controller publishes the object in each namespace; no client writes it. */
    static boolean isPublished(String key) {
        return key.endsWith("/kube-root-ca.crt");
    }

    /** Returns the key of an object. */
    static String key(String resource, JsonNode object) {
        String namespace = object.at("/metadata/namespace").asText();
        return resource + "/" + (namespace.isEmpty() ? "" : namespace + "/")
                + object.at("/metadata/name").asText();
    }
}
