package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/** A PersistentVolume. Immutable; any thread. */
public final class Volume extends View {
    private Volume(StoredObject stored) {
        super(stored);
    }

    public static Volume of(StoredObject stored) {
        return new Volume(stored);
    }

    public static ObjectKey key(String name) {
        return ObjectKey.clusterWide(StorageNames.VOLUMES, name);
    }

    /** "" for none. */
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

    /** "" for none. */
    public String attributesClass() {
        return spec().path("volumeAttributesClassName").asText("");
    }

    public Optional<ClaimRef> claimRef() {
        JsonNode reference = spec().path("claimRef");
        return reference.isObject() ? Optional.of(ClaimRef.of(reference)) : Optional.empty();
    }

    /** Pending, Available, Bound, Released, Failed; "" if nobody has said yet. */
    public String phase() {
        return status().path("phase").asText("");
    }

    /** Retain, Delete or Recycle. */
    public String reclaimPolicy() {
        return spec().path("persistentVolumeReclaimPolicy").asText("");
    }

    public boolean isBoundByController() {
        return hasAnnotation(StorageNames.BOUND_BY_CONTROLLER);
    }

    /** Who made it; nothing if a person did. */
    public Optional<String> provisionedBy() {
        return annotation(StorageNames.PROVISIONED_BY);
    }

    /** On which nodes it can be reached; all if it does not say. */
    public NodeSelector nodeAffinity() {
        return NodeSelector.required(spec().path("nodeAffinity").path("required"));
    }

    /** Whether it has a source of this kind: {@code hostPath}, {@code nfs}, {@code csi} … */
    public boolean hasSource(String source) {
        return spec().hasNonNull(source);
    }

    /** Whether a driver outside looks after it. */
    public boolean isForeignCsi() {
        return hasSource("csi") && !spec().path("csi").path("driver").asText("").equals(StorageNames.BLOCK_DRIVER);
    }
}
