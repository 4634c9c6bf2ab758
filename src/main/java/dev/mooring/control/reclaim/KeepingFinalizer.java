package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Removal;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/**
 * The finalizer {@code kubernetes.io/pv-controller}: on volumes that we made and whose data is to be deleted with them, so that they
 * cannot go before it. It follows the policy; volumes of others are left alone. Pure.
 */
final class KeepingFinalizer {
    private KeepingFinalizer() {}

    /** The volume with the finalizers it should have; nothing if it has them. */
    static Optional<ObjectNode> inStep(Volume volume) {
        String provisioner = volume.provisionedBy().orElse("");
        if (!provisioner.startsWith(StorageNames.OUR_PROVISIONERS) || volume.hasAnnotation(StorageNames.MIGRATED_TO)) {
            return Optional.empty();
        }
        ObjectNode object = volume.copy();
        ObjectNode metadata = (ObjectNode) object.get("metadata");
        boolean changed = Removal.removeText(metadata, "finalizers", StorageNames.EXTERNAL_PROVISIONER);
        boolean has = volume.hasFinalizer(StorageNames.VOLUME_CONTROLLER);
        switch (volume.reclaimPolicy()) {
            case "Delete" -> {
                // Nobody may add one to what is being deleted.
                if (!has && !volume.isBeingDeleted()) {
                    add(metadata);
                    changed = true;
                }
            }
            case "Retain", "Recycle" ->
                changed |= Removal.removeText(metadata, "finalizers", StorageNames.VOLUME_CONTROLLER);
            default -> {
                // Whoever knows the policy knows what it needs.
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
