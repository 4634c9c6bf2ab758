package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Something worth telling the user about an object; it becomes a core/v1 Event, which {@code kubectl describe} shows below the object.
 *
 * <p>The same notice always has the same {@link #key()}, because its name is made of a hash of what it says. So telling it again finds
 * the Event that told it before and counts it up, with no index and no search. How often it is told is up to the teller.
 *
 * @param message cut at {@link #MAX_MESSAGE_BYTES}
 * @param component who tells it, such as {@code persistentvolume-controller}
 */
public record Notice(Involved involved, Type type, String reason, String message, String component) {
    /** As much as Kubernetes allows. */
    public static final int MAX_MESSAGE_BYTES = 1024;

    /** Where Events of objects go that are in no namespace. */
    private static final String CLUSTER_WIDE = "default";

    private static final String RESOURCE = "events";
    private static final int MAX_NAME = 253;
    private static final int HASH_BYTES = 8;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    public Notice {
        message = cut(message, MAX_MESSAGE_BYTES);
    }

    /** What Kubernetes knows: all is well, or it is not. */
    public enum Type {
        NORMAL("Normal"),
        WARNING("Warning");

        private final String text;

        Type(String text) {
            this.text = text;
        }
    }

    /**
     * The object a notice is about.
     *
     * @param namespace "" if it is in none
     * @param resourceVersion the revision at which it was seen, "" if that does not matter
     */
    public record Involved(
            String apiVersion, String kind, String namespace, String name, String uid, String resourceVersion) {

        public static Involved of(StoredObject object) {
            return of(tree(object));
        }

        public static Involved of(JsonNode object) {
            JsonNode metadata = object.path("metadata");
            return new Involved(
                    object.path("apiVersion").asText(""),
                    object.path("kind").asText(""),
                    metadata.path("namespace").asText(""),
                    metadata.path("name").asText(""),
                    metadata.path("uid").asText(""),
                    metadata.path("resourceVersion").asText(""));
        }

        private ObjectNode json() {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("kind", kind);
            putUnlessEmpty(json, "namespace", namespace);
            json.put("name", name);
            putUnlessEmpty(json, "uid", uid);
            json.put("apiVersion", apiVersion);
            putUnlessEmpty(json, "resourceVersion", resourceVersion);
            return json;
        }

        private static void putUnlessEmpty(ObjectNode json, String field, String value) {
            if (!value.isEmpty()) {
                json.put(field, value);
            }
        }
    }

    public static Notice normal(Involved involved, String reason, String message, String component) {
        return new Notice(involved, Type.NORMAL, reason, message, component);
    }

    public static Notice warning(Involved involved, String reason, String message, String component) {
        return new Notice(involved, Type.WARNING, reason, message, component);
    }

    /** The key of the Event that tells it. */
    public ObjectKey key() {
        return ObjectKey.namespaced(RESOURCE, namespace(), name());
    }

    /**
     * The Event that tells it once more.
     *
     * @param existing what is at {@link #key()}
     * @param uid for the Event, if it is a new one
     */
    public Draft in(Optional<StoredObject> existing, Instant now, String uid) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = existing.map(Notice::tree).orElseGet(() -> firstTold(time, uid));
        event.put("count", event.path("count").asInt(0) + 1);
        event.put("lastTimestamp", time);
        return Draft.of(key(), event);
    }

    private ObjectNode firstTold(String time, String uid) {
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("kind", "Event").put("apiVersion", "v1");
        event.putObject("metadata")
                .put("name", name())
                .put("namespace", namespace())
                .put("uid", uid)
                .put("creationTimestamp", time);
        event.set("involvedObject", involved.json());
        event.put("reason", reason).put("message", message);
        event.putObject("source").put("component", component);
        event.put("firstTimestamp", time).put("lastTimestamp", time).put("count", 0);
        event.put("type", type.text);
        event.putNull("eventTime");
        event.put("reportingComponent", component).put("reportingInstance", "");
        return event;
    }

    private String namespace() {
        return involved.namespace().isEmpty() ? CLUSTER_WIDE : involved.namespace();
    }

    private String name() {
        String ending = '.' + hash();
        int room = MAX_NAME - ending.length();
        String start = involved.name();
        int end = Math.min(start.length(), room);
        // A cut may not leave a dot or dash before the dot: that would be no name.
        while (end > 0 && end < start.length() && !Character.isLetterOrDigit(start.charAt(end - 1))) {
            end--;
        }
        return start.substring(0, end) + ending;
    }

    private String hash() {
        String said = String.join("\0", involved.uid(), reason, message, component, type.text);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(said.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Expected every Java to know SHA-256, but this one does not", e);
        }
    }

    private static String cut(String text, int maxBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= maxBytes) {
            return text;
        }
        int end = maxBytes;
        while ((bytes[end] & 0xc0) == 0x80) {
            end--; // the middle of a character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    private static ObjectNode tree(StoredObject object) {
        try {
            return (ObjectNode) MAPPER.readTree(object.json());
        } catch (IOException e) {
            throw new UncheckedIOException("Expected " + object.key() + " to be JSON, but it is not", e);
        }
    }
}
