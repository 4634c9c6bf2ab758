package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.select.LabelSelector;
import dev.mooring.model.select.SelectorException;
import java.util.Optional;

/** A PersistentVolumeClaim. Immutable; any thread. */
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

    /** The class it asks for: nothing if it leaves that open, "" if it wants none. */
    public Optional<String> className() {
        Optional<String> annotated = annotation(StorageNames.BETA_CLASS);
        return annotated.isPresent() ? annotated : text(spec().path("storageClassName"));
    }

    /** The volume it asks for or has; "" for any. */
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

    /** "" for none. */
    public String attributesClass() {
        return spec().path("volumeAttributesClassName").asText("");
    }

    public boolean hasDataSource() {
        return spec().hasNonNull("dataSource") || spec().hasNonNull("dataSourceRef");
    }

    /** Which volumes it would take; nothing for all. */
    public Optional<LabelSelector> selector() {
        JsonNode selector = spec().path("selector");
        if (!selector.isObject()) {
            return Optional.empty();
        }
        try {
            return Optional.of(LabelSelector.ofObject(selector)).filter(each -> !each.isEverything());
        } catch (SelectorException e) {
            throw new IllegalArgumentException("Expected the selector of " + key() + " to be one, but " + e, e);
        }
    }

    /** Pending, Bound, Lost, or, for a claim in the style of Minik8s, Failed. */
    public String phase() {
        return status().path("phase").asText("");
    }

    /** What it got, if it got anything. */
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
