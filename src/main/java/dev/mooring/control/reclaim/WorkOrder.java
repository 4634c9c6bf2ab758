package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.Work;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.UUID;

/** What a node is asked to do about a volume that nobody claims any more: there is one at most of each kind. Pure. */
final class WorkOrder {
    /** On a volume: what is to become of its data when it is deleted. */
    static final String ON_DELETE = "mooring.dev/on-delete";

    private static final String DELETE = "delete-";
    private static final String SCRUB = "scrub-";

    private WorkOrder() {}

    static ObjectKey key(Work work, String volumeUid) {
        return VolumeOperation.key(work.toString().toLowerCase(Locale.ROOT) + '-' + volumeUid);
    }

    /** Whether an operation is one of these; others have theirs. */
    static boolean isOne(ObjectKey operation) {
        String name = operation.name();
        return name.startsWith(DELETE) || name.startsWith(SCRUB);
    }

    static Draft draft(Work work, Volume volume, String provisioner, String node, Instant now) {
        ObjectKey key = key(work, volume.uid());
        ObjectNode order = JsonNodeFactory.instance.objectNode();
        order.put("apiVersion", "mooring.dev/v1").put("kind", "VolumeOperation");
        order.putObject("metadata")
                .put("name", key.name())
                .put("uid", uid(key, volume))
                .put("creationTimestamp", now.truncatedTo(ChronoUnit.SECONDS).toString());
        ObjectNode spec = order.putObject("spec");
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
        if (!volume.className().isEmpty()) {
            spec.put("storageClassName", volume.className());
        }
        Source.of(volume).ifPresent(source -> spec.set("source", source));
        spec.put("volumeMode", volume.mode().toString());
        if (work == Work.DELETE) {
            volume.annotation(ON_DELETE)
                    .ifPresent(value -> spec.putObject("parameters").put("onDelete", value));
        }
        return Draft.of(key, order);
    }

    /** Made of what it is decided upon, so that deciding the same twice is the same. */
    private static String uid(ObjectKey key, Volume volume) {
        String unique = key + "@" + volume.revision();
        return UUID.nameUUIDFromBytes(unique.getBytes(StandardCharsets.UTF_8)).toString();
    }
}
