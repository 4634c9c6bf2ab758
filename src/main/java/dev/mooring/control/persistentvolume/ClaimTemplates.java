package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * Builds claims from the templates of ephemeral volumes and StatefulSets. They do not pass the API, so they get the API's
 * defaults here: phase, volume mode, default class and the protection finalizer. Pure.
 */
public final class ClaimTemplates {
    private static final String SNAPSHOTS = "snapshot.storage.k8s.io";
    private static final String SOURCE = "dataSource";
    private static final String REFERENCE = "dataSourceRef";

    private ClaimTemplates() {}

    /**
     * Returns the claim of an ephemeral volume, which the Pod owns.
     *
     * @param template the volume's {@code ephemeral.volumeClaimTemplate}
     */
    static ObjectNode ephemeral(World world, Pod pod, String name, JsonNode template, Instant now) {
        ObjectNode claim = claim(world, pod, name, template, now);
        ((ObjectNode) claim.get("metadata"))
                .putArray("ownerReferences")
                .addObject()
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", pod.name())
                .put("uid", pod.uid())
                .put("controller", true)
                .put("blockOwnerDeletion", true);
        return claim;
    }

    /**
     * Returns a claim without owner references.
     *
     * @param creator the object that has the template
     */
    public static ObjectNode claim(World world, View creator, String name, JsonNode template, Instant now) {
        ObjectNode claim = JsonNodeFactory.instance.objectNode();
        claim.put("kind", "PersistentVolumeClaim").put("apiVersion", "v1");
        ObjectNode metadata = claim.putObject("metadata");
        String unique = Claim.key(creator.namespace(), name) + "@" + creator.uid() + "@" + world.revision() + "@" + now;
        metadata.put("name", name)
                .put("namespace", creator.namespace())
                .put(
                        "uid",
                        UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8))
                                .toString())
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        copy(template.path("metadata"), metadata, "labels");
        copy(template.path("metadata"), metadata, "annotations");
        metadata.putArray("finalizers").add(StorageNames.CLAIM_PROTECTION);
        ObjectNode spec = template.path("spec") instanceof ObjectNode source ? source.deepCopy() : claim.objectNode();
        claim.set("spec", spec);
        if (!spec.hasNonNull("volumeMode")) {
            spec.put("volumeMode", "Filesystem");
        }
        defaultDataSources(spec);
        boolean named = spec.hasNonNull("storageClassName")
                || metadata.path("annotations").hasNonNull(StorageNames.BETA_CLASS);
        if (!named) {
            Lookup.defaultClass(world).ifPresent(found -> spec.put("storageClassName", found.name()));
        }
        claim.putObject("status").put("phase", "Pending");
        return claim;
    }

    private static void copy(JsonNode from, ObjectNode to, String field) {
        if (!from.path(field).isEmpty()) {
            to.set(field, from.get(field).deepCopy());
        }
    }

    /** Copies {@code dataSource} to {@code dataSourceRef} or back where only one of them is set. */
    private static void defaultDataSources(ObjectNode spec) {
        if (spec.has(SOURCE) && !isClaimOrSnapshot(spec.get(SOURCE))) {
            spec.remove(SOURCE);
        }
        JsonNode source = spec.path(SOURCE);
        JsonNode reference = spec.path(REFERENCE);
        if (source.isObject() && !reference.isObject()) {
            spec.set(REFERENCE, source.deepCopy());
        } else if (!source.isObject() && isClaimOrSnapshot(reference) && !reference.hasNonNull("namespace")) {
            spec.set(SOURCE, reference.deepCopy());
        }
    }

    private static boolean isClaimOrSnapshot(JsonNode source) {
        String group = source.path("apiGroup").asText("");
        String kind = source.path("kind").asText("");
        return (group.isEmpty() && kind.equals("PersistentVolumeClaim"))
                || (group.equals(SNAPSHOTS) && kind.equals("VolumeSnapshot"));
    }
}
