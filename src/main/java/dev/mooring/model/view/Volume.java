package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/** A PersistentVolume. Immutable; thread-safe. */
public final class Volume extends View {
    private static final String CSI = "csi";

    private Volume(StoredObject stored) {
        super(stored);
    }

    public static Volume of(StoredObject stored) {
        return new Volume(stored);
    }

    public static ObjectKey key(String name) {
        return ObjectKey.clusterWide(StorageNames.VOLUMES, name);
    }

    /** Returns the key of the volume that a reference names; empty if the reference is empty or invalid. */
    public static Optional<ObjectKey> keyIfValid(String name) {
        return ObjectKey.ifValid(StorageNames.VOLUMES + '/' + name);
    }

    /** Returns the StorageClass; "" for none. */
    public String className() {
        return annotation(StorageNames.BETA_CLASS)
                .orElseGet(() -> spec().path("storageClassName").asText(""));
    }

    public Optional<Quantity> capacity() {
        return Claim.quantity(spec().path("capacity").path("storage"));
    }

    public AccessModes accessModes() {
        return AccessModes.of(spec().path("accessModes"));
    }

    public VolumeMode mode() {
        return VolumeMode.of(spec().path("volumeMode"));
    }

    /** Returns the VolumeAttributesClass; "" for none. */
    public String attributesClass() {
        return spec().path("volumeAttributesClassName").asText("");
    }

    public Optional<ClaimRef> claimRef() {
        JsonNode reference = spec().path("claimRef");
        return reference.isObject() ? Optional.of(ClaimRef.of(reference)) : Optional.empty();
    }

    /** Returns Pending, Available, Bound, Released or Failed; "" if not set yet. */
    public String phase() {
        return status().path("phase").asText("");
    }

    /** Returns Retain, Delete or Recycle. */
    public String reclaimPolicy() {
        return spec().path("persistentVolumeReclaimPolicy").asText("");
    }

    public boolean isBoundByController() {
        return hasAnnotation(StorageNames.BOUND_BY_CONTROLLER);
    }

    /** Returns the provisioner; empty if it was created manually. */
    public Optional<String> provisionedBy() {
        return annotation(StorageNames.PROVISIONED_BY);
    }

    /** Returns the nodes on which it is reachable; all if not set. */
    public NodeSelector nodeAffinity() {
        return NodeSelector.required(spec().path("nodeAffinity").path("required"));
    }

    /** Returns the type of its source; empty for one that Mooring does not mount. */
    public Optional<SourceType> sourceType() {
        return SourceTypes.of(spec());
    }

    /** Returns its source as one line, such as {@code nfs nas:/exports/a}; empty for a type that no driver mounts. */
    public Optional<String> sourceText() {
        if (spec().hasNonNull(CSI)) {
            JsonNode csi = spec().path(CSI);
            return Optional.of("csi " + csi.path("driver").asText("") + " "
                    + csi.path("volumeHandle").asText(""));
        }
        return sourceType().map(type -> type.summary(spec()));
    }

    /** Returns whether an external CSI driver manages it. */
    public boolean isExternalCsi() {
        return spec().hasNonNull(CSI) && sourceType().isEmpty();
    }
}
