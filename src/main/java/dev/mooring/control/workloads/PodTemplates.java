package dev.mooring.control.workloads;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Digests;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.View;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Builds objects that a workload owns. Names and uids are derived from the owner, the World and the time, so that
 * repeating a decision gives the same object. Pure.
 */
public final class PodTemplates {
    /** Characters of generated names, as in Kubernetes: no vowels, no digits that look like letters. */
    private static final String NAME_CHARACTERS = "bcdfghjklmnpqrstvwxz2456789";

    private static final int SUFFIX_LENGTH = 5;
    private static final int MAX_PREFIX = 63 - SUFFIX_LENGTH;

    private PodTemplates() {}

    /**
     * Returns a Pod of a template with a generated name: that of the owner, a dash and five characters. The caller must
     * pass it to a {@link PodAdmission}.
     */
    public static ObjectNode generated(World world, View owner, JsonNode template, Instant now) {
        String prefix = owner.name() + '-';
        String start = prefix.substring(0, Math.min(prefix.length(), MAX_PREFIX));
        String name = start + suffix(owner.uid() + '@' + world.revision() + '@' + now);
        for (int i = 0; world.get(Pod.key(owner.namespace(), name)).isPresent(); i++) {
            name = start + suffix(owner.uid() + '@' + world.revision() + '@' + now + '#' + i);
        }
        ObjectNode pod = named(world, owner, template, name, now);
        ObjectNode metadata = (ObjectNode) pod.get("metadata");
        ObjectNode ordered = pod.objectNode();
        ordered.put("name", name).put("generateName", prefix);
        ordered.setAll(metadata);
        pod.set("metadata", ordered);
        return pod;
    }

    /** Returns a Pod of a template with a given name, controlled by the owner. */
    public static ObjectNode named(World world, View owner, JsonNode template, String name, Instant now) {
        ObjectNode pod = JsonNodeFactory.instance.objectNode();
        pod.put("kind", "Pod").put("apiVersion", "v1");
        ObjectNode metadata = metadata(world, owner, Pod.key(owner.namespace(), name), now);
        pod.set("metadata", metadata);
        for (String field : new String[] {"labels", "annotations", "finalizers"}) {
            JsonNode value = template.path("metadata").path(field);
            if (!value.isEmpty()) {
                metadata.set(field, value.deepCopy());
            }
        }
        metadata.putArray("ownerReferences").add(controllerRef(owner));
        pod.set("spec", template.path("spec").deepCopy());
        return pod;
    }

    /**
     * Admits a Pod. In the message, a generated name is replaced by its prefix, so that the message is the same for each
     * attempt.
     *
     * @return why the Pod is not allowed; empty if it is
     */
    public static Optional<String> refusal(World world, ObjectNode pod, PodAdmission admission) {
        JsonNode metadata = pod.path("metadata");
        String name = metadata.path("name").asText();
        String shown = metadata.path("generateName").asText(name);
        return admission.admit(world, pod).map(why -> why.replace('"' + name + '"', '"' + shown + '"'));
    }

    /** Returns the metadata of a new object: name, namespace, uid and creation time. */
    public static ObjectNode metadata(World world, View owner, ObjectKey key, Instant now) {
        String unique = key + "@" + owner.uid() + "@" + world.revision() + "@" + now;
        return JsonNodeFactory.instance
                .objectNode()
                .put("name", key.name())
                .put("namespace", key.namespace().orElseThrow())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
    }

    /** Returns the owner reference of an object that the owner controls. */
    public static ObjectNode controllerRef(View owner) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("apiVersion", owner.tree().path("apiVersion").asText())
                .put("kind", owner.tree().path("kind").asText())
                .put("name", owner.name())
                .put("uid", owner.uid())
                .put("controller", true)
                .put("blockOwnerDeletion", true);
    }

    /** Returns five characters for a name, derived from a text. */
    private static String suffix(String unique) {
        return encode(Digests.sha256Hex(unique, 8), SUFFIX_LENGTH);
    }

    /** Returns a hash of a template for names and labels. Equal templates have equal hashes, in any order of fields. */
    public static String hash(JsonNode template, int collisions) {
        StringBuilder canonical = new StringBuilder(1024);
        canonical(template, canonical);
        return encode(Digests.sha256Hex(canonical.append('#').append(collisions).toString(), 8), 10);
    }

    private static String encode(String hex, int length) {
        long number = Long.parseUnsignedLong(hex.toLowerCase(Locale.ROOT), 16);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(NAME_CHARACTERS.charAt((int) Long.remainderUnsigned(number, NAME_CHARACTERS.length())));
            number = Long.divideUnsigned(number, NAME_CHARACTERS.length());
        }
        return text.toString();
    }

    private static void canonical(JsonNode node, StringBuilder text) {
        if (node.isObject()) {
            text.append('{');
            node.properties().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .filter(each -> !each.getValue().isNull())
                    .forEach(each -> {
                        text.append(each.getKey()).append(':');
                        canonical(each.getValue(), text);
                        text.append(',');
                    });
            text.append('}');
        } else if (node.isArray()) {
            text.append('[');
            node.forEach(each -> {
                canonical(each, text);
                text.append(',');
            });
            text.append(']');
        } else {
            text.append(node);
        }
    }
}
