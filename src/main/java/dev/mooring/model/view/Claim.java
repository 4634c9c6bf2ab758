package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.LabelSelector;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.SelectorException;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/** A PersistentVolumeClaim. Immutable; thread-safe. */
public final class Claim extends View {
    private Claim(StoredObject stored) {
        super(stored);
    }

    public static Claim of(StoredObject stored) {
        return new Claim(stored);
    }

    public static ObjectKey key(String namespace, String name) {
        return ObjectKey.namespaced(StorageNames.CLAIMS, namespace, name);
    }

    /** Returns the key of the claim that a reference names; empty if the reference is invalid. */
    public static Optional<ObjectKey> keyIfValid(String namespace, String name) {
        return ObjectKey.ifValid(StorageNames.CLAIMS + '/' + namespace + '/' + name);
    }

    /** Returns the requested class: empty if not set, "" for none. */
    public Optional<String> className() {
        Optional<String> annotated = annotation(StorageNames.BETA_CLASS);
        return annotated.isPresent() ? annotated : text(spec().path("storageClassName"));
    }

    /** Returns the volume it requests or is bound to; "" for any. */
    public String volumeName() {
        return spec().path("volumeName").asText("");
    }

    public Quantity request() {
        return quantity(spec().path("resources").path("requests").path("storage"))
                .orElse(Quantity.ZERO);
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

    public boolean hasDataSource() {
        return spec().hasNonNull("dataSource") || spec().hasNonNull("dataSourceRef");
    }

    /** Returns the selector of acceptable volumes; empty for all. */
    public Optional<LabelSelector> selector() {
        JsonNode selector = spec().path("selector");
        if (!selector.isObject()) {
            return Optional.empty();
        }
        try {
            return Optional.of(LabelSelector.ofObject(selector)).filter(each -> !each.isEverything());
        } catch (SelectorException e) {
            throw new IllegalArgumentException("Selector of " + key() + " is invalid: " + e.getMessage(), e);
        }
    }

    /** Returns Pending, Bound, Lost, or, in Minik8s compatibility mode, Failed. */
    public String phase() {
        return status().path("phase").asText("");
    }

    /** Returns the capacity of the bound volume. */
    public Optional<Quantity> capacity() {
        return quantity(status().path("capacity").path("storage"));
    }

    public boolean isBindCompleted() {
        return hasAnnotation(StorageNames.BIND_COMPLETED);
    }

    public boolean isBoundByController() {
        return hasAnnotation(StorageNames.BOUND_BY_CONTROLLER);
    }

    public Optional<String> selectedNode() {
        return annotation(StorageNames.SELECTED_NODE).filter(node -> !node.isEmpty());
    }

    static Optional<Quantity> quantity(JsonNode value) {
        if (!value.isTextual() && !value.isNumber()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Quantity.parse(value.asText()));
        } catch (Quantity.MalformedException e) {
            return Optional.empty();
        }
    }
}
