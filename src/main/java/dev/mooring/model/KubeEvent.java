package dev.mooring.model;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * A message for users about an object; becomes a core/v1 Event, which {@code kubectl describe} shows with the object.
 *
 * <p>Equal messages have the same {@link #key()}, because the Event's name contains a hash of the content. So recording
 * a message again finds the existing Event and increments its count, without an index or search. The caller limits how
 * often it records.
 *
 * @param message put on one line and cut at {@link #MAX_MESSAGE_BYTES}
 * @param component the source component, such as {@code persistentvolume-controller}
 */
public record KubeEvent(InvolvedObject involved, Type type, String reason, String message, String component) {
    /** Kubernetes' limit. */
    public static final int MAX_MESSAGE_BYTES = 1024;

    /** Namespace of Events about cluster-scoped objects. */
    private static final String CLUSTER_WIDE = "default";

    private static final String RESOURCE = "events";
    private static final int MAX_NAME = 253;
    /** Start of the component of a node agent, which is its actor in the event log. */
    private static final String NODE_ACTOR = "node/";

    private static final int HASH_BYTES = 8;

    public KubeEvent {
        message = truncate(OneLine.of(message), MAX_MESSAGE_BYTES);
    }

    /** Kubernetes' Event types. */
    public enum Type {
        NORMAL("Normal"),
        WARNING("Warning");

        private final String text;

        Type(String text) {
            this.text = text;
        }
    }

    /**
     * The object an Event is about.
     *
     * @param namespace "" if it is cluster-scoped
     * @param resourceVersion the revision at which it was observed; "" if that does not matter
     */
    public record InvolvedObject(
            String apiVersion, String kind, String namespace, String name, String uid, String resourceVersion) {

        public static InvolvedObject of(StoredObject object) {
            return of(object.toTree());
        }

        public static InvolvedObject of(JsonNode object) {
            JsonNode metadata = object.path("metadata");
            return new InvolvedObject(
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

    public static KubeEvent normal(InvolvedObject involved, String reason, String message, String component) {
        return new KubeEvent(involved, Type.NORMAL, reason, message, component);
    }

    public static KubeEvent warning(InvolvedObject involved, String reason, String message, String component) {
        return new KubeEvent(involved, Type.WARNING, reason, message, component);
    }

    /** Returns the Event that a process records on its Node when it starts, as the kubelet does. */
    public static KubeEvent starting(InvolvedObject node) {
        return normal(node, EventReasons.STARTING, "Starting Mooring.", "mooring");
    }

    /** Returns the key of the Event. */
    public ObjectKey key() {
        return ObjectKey.namespaced(RESOURCE, namespace(), name());
    }

    /**
     * Returns the Event with an incremented count.
     *
     * @param existing the object at {@link #key()}
     * @param uid for a new Event
     */
    public Draft toEvent(Optional<StoredObject> existing, Instant now, String uid) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = existing.map(StoredObject::toTree).orElseGet(() -> newEvent(time, uid));
        event.put("count", event.path("count").asInt(0) + 1);
        event.put("lastTimestamp", time);
        return Draft.of(key(), event);
    }

    private ObjectNode newEvent(String time, String uid) {
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("kind", "Event").put("apiVersion", "v1");
        event.putObject("metadata")
                .put("name", name())
                .put("namespace", namespace())
                .put("uid", uid)
                .put("creationTimestamp", time);
        event.set("involvedObject", involved.json());
        event.put("reason", reason).put("message", message);
        // The node agent is Kubernetes' kubelet, whose Events tools select by its name.
        String node = component.startsWith(NODE_ACTOR) ? component.substring(NODE_ACTOR.length()) : "";
        String reporter = node.isEmpty() ? component : "kubelet";
        ObjectNode source = event.putObject("source").put("component", reporter);
        InvolvedObject.putUnlessEmpty(source, "host", node);
        event.put("firstTimestamp", time).put("lastTimestamp", time).put("count", 0);
        event.put("type", type.text);
        event.putNull("eventTime");
        event.put("reportingComponent", reporter).put("reportingInstance", node);
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
        // A truncated name must not have a dot or dash before the dot.
        while (end > 0 && end < start.length() && !Character.isLetterOrDigit(start.charAt(end - 1))) {
            end--;
        }
        return start.substring(0, end) + ending;
    }

    private String hash() {
        String content = String.join("\0", involved.uid(), reason, message, component, type.text);
        return Digests.sha256Hex(content, HASH_BYTES);
    }

    private static String truncate(String text, int maxBytes) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= maxBytes) {
            return text;
        }
        int end = maxBytes;
        while ((bytes[end] & 0xc0) == 0x80) {
            end--; // inside a multi-byte character
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
