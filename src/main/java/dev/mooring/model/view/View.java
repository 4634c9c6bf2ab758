package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * A parsed stored object with the fields of all kinds. The tree must not be modified; use {@link #copy} for that.
 * Thread-safe.
 */
public abstract class View {
    private final StoredObject stored;
    private final ObjectNode tree;

    protected View(StoredObject stored) {
        this.stored = stored;
        this.tree = stored.tree();
    }

    /** Returns the object as committed, for preconditions. */
    public final StoredObject stored() {
        return stored;
    }

    /** Returns the tree; must not be modified. */
    public final ObjectNode tree() {
        return tree;
    }

    /** Returns a modifiable copy of the tree. */
    public final ObjectNode copy() {
        return tree.deepCopy();
    }

    public final ObjectKey key() {
        return stored.key();
    }

    public final long revision() {
        return stored.revision();
    }

    /** Returns this object as the cause of a decision. */
    public final Cause cause() {
        return Cause.revision(stored.revision());
    }

    public final String name() {
        return key().name();
    }

    /** Returns the namespace; "" if it is cluster-scoped. */
    public final String namespace() {
        return key().namespace().orElse("");
    }

    public final String uid() {
        return metadata().path("uid").asText("");
    }

    /** Returns the creation time; the epoch if it is not set. */
    public final Instant created() {
        return time(metadata().path("creationTimestamp"));
    }

    public final boolean isBeingDeleted() {
        return metadata().hasNonNull("deletionTimestamp");
    }

    public final boolean hasFinalizer(String finalizer) {
        for (JsonNode each : metadata().path("finalizers")) {
            if (each.asText("").equals(finalizer)) {
                return true;
            }
        }
        return false;
    }

    public final Optional<String> annotation(String name) {
        return text(metadata().path("annotations").path(name));
    }

    public final boolean hasAnnotation(String name) {
        return metadata().path("annotations").has(name);
    }

    /** Returns the labels; missing if it has none. */
    public final JsonNode labels() {
        return metadata().path("labels");
    }

    /** Returns the owner reference of its controller; missing if it has none. */
    public final JsonNode controllerRef() {
        for (JsonNode each : metadata().path("ownerReferences")) {
            if (each.path("controller").asBoolean(false)) {
                return each;
            }
        }
        return MissingNode.getInstance();
    }

    /** Returns the uid of its controller; "" if it has none. */
    public final String controllerUid() {
        return controllerRef().path("uid").asText("");
    }

    public final JsonNode metadata() {
        return tree.path("metadata");
    }

    /** Returns the spec; missing if it has none. */
    public final JsonNode spec() {
        return tree.path("spec");
    }

    /** Returns the status; missing if it has none. */
    public final JsonNode status() {
        return tree.path("status");
    }

    static Optional<String> text(JsonNode value) {
        return value.isTextual() ? Optional.of(value.textValue()) : Optional.empty();
    }

    static Instant time(JsonNode value) {
        try {
            return value.isTextual() ? Instant.parse(value.textValue()) : Instant.EPOCH;
        } catch (DateTimeException e) {
            return Instant.EPOCH;
        }
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof View that && stored.equals(that.stored);
    }

    @Override
    public final int hashCode() {
        return stored.hashCode();
    }

    @Override
    public final String toString() {
        return stored.key() + "@" + stored.revision();
    }
}
