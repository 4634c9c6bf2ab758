package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/**
 * The finalizer {@code kubernetes.io/pv-controller} of volumes that Mooring provisioned with the policy Delete: a
 * volume cannot go before its data. The finalizer follows the policy; other volumes are left alone. Pure.
 */
final class DeletionProtectionFinalizer {
    private DeletionProtectionFinalizer() {}

    /** Returns the volume with its correct finalizers; empty if they are up to date. */
    static Optional<ObjectNode> updated(Volume volume) {
        String provisioner = volume.provisionedBy().orElse("");
        if (!provisioner.startsWith(StorageNames.MOORING_PROVISIONER_PREFIX)
                || volume.hasAnnotation(StorageNames.MIGRATED_TO)) {
            return Optional.empty();
        }
        ObjectNode object = volume.copy();
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        boolean changed = ObjectDeleter.removeText(metadata, "finalizers", StorageNames.EXTERNAL_PROVISIONER);
        boolean has = volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER);
        switch (volume.reclaimPolicy()) {
            case "Delete" -> {
                // Kubernetes forbids adding a finalizer to a terminating object.
                if (!has && !volume.isBeingDeleted()) {
                    add(metadata);
                    changed = true;
                }
            }
            case "Retain", "Recycle" ->
                changed |= ObjectDeleter.removeText(metadata, "finalizers", StorageNames.VOLUME_CONTROLLER);
            default -> {
                // An unknown policy: the finalizer stays as it is.
            }
        }
        return changed ? Optional.of(object) : Optional.empty();
    }

    private static void add(ObjectNode metadata) {
        ArrayNode list =
                metadata.get("finalizers") instanceof ArrayNode present ? present : metadata.putArray("finalizers");
        list.add(StorageNames.VOLUME_CONTROLLER);
    }
}
