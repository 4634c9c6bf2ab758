package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.world.World;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/** Builds the operations that reclaim a volume; at most one of each type exists. Pure. */
final class ReclaimOperations {
    /** Annotation of a volume: what happens to its data when it is deleted. */
    static final String ON_DELETE = "mooring.dev/on-delete";

    private static final String DELETE = "delete-";
    private static final String SCRUB = "scrub-";

    private ReclaimOperations() {}

    static ObjectKey key(OperationType work, String volumeUid) {
        return VolumeOperation.key(work.toString().toLowerCase(Locale.ROOT) + '-' + volumeUid);
    }

    /** Returns whether an operation is a reclaim operation, by its name. */
    static boolean isReclaimOperation(ObjectKey operation) {
        String name = operation.name();
        return name.startsWith(DELETE) || name.startsWith(SCRUB);
    }

    static Draft draft(World world, OperationType work, Volume volume, String provisioner, String node, Instant now) {
        ObjectKey key = key(work, volume.uid());
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.put("apiVersion", "mooring.dev/v1").put("kind", "VolumeOperation");
        object.putObject("metadata")
                .put("name", key.name())
                .put("uid", uid(key, volume))
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        ObjectNode spec = object.putObject("spec");
        spec.put("operation", work.toString())
                .put("node", node)
                .put("provisioner", provisioner)
                .put("persistentVolume", volume.name())
                .put("persistentVolumeUID", volume.uid());
        volume.claimRef()
                .filter(claim -> claim.hasUid())
                .ifPresent(claim -> spec.putObject("claim")
                        .put("namespace", claim.namespace())
                        .put("name", claim.name())
                        .put("uid", claim.uid()));
        namespaceUid(world, volume).ifPresent(uid -> spec.put("namespaceUID", uid));
        if (!volume.className().isEmpty()) {
            spec.put("storageClassName", volume.className());
        }
        ObjectNode source = SourceTypes.source(volume.spec());
        if (!source.isEmpty()) {
            spec.set("source", source);
        }
        spec.put("volumeMode", volume.mode().toString());
        if (work == OperationType.DELETE) {
            volume.annotation(ON_DELETE)
                    .ifPresent(value -> spec.putObject("parameters").put("onDelete", value));
        }
        return Draft.of(key, object);
    }

    /**
     * Returns the uid of the namespace of the volume's last claim. It is known only if the current namespace is older
     * than the volume, because then all its claims were in that namespace.
     */
    private static Optional<String> namespaceUid(World world, Volume volume) {
        return volume.claimRef()
                .filter(claim -> claim.hasUid() && !claim.namespace().isEmpty())
                .flatMap(claim -> world.get(ObjectKey.clusterWide("namespaces", claim.namespace())))
                .map(namespace -> namespace.tree().path("metadata"))
                .filter(namespace -> created(namespace).compareTo(created(volume.metadata())) < 0)
                .map(namespace -> namespace.path("uid").asText(""));
    }

    private static String created(JsonNode metadata) {
        return metadata.path("creationTimestamp").asText("");
    }

    /** Derives the uid from the inputs of the decision, so that repeating it gives the same uid. */
    private static String uid(ObjectKey key, Volume volume) {
        String unique = key + "@" + volume.revision();
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
