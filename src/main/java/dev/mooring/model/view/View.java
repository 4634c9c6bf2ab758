package dev.mooring.model.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Cause;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * A stored object, read once: what objects of all kinds have. Nobody changes the tree; who wants another object changes a {@link #copy}.
 * Any thread may read it.
 */
public abstract class View {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final StoredObject stored;
    private final ObjectNode tree;

    View(StoredObject stored) {
        this.stored = stored;
        try {
            if (!(MAPPER.readTree(stored.json()) instanceof ObjectNode object)) {
                throw new IllegalArgumentException("Expected " + stored.key() + " to be a JSON object, but it is none");
            }
            this.tree = object;
        } catch (IOException e) {
            throw new UncheckedIOException("Expected " + stored.key() + " to be JSON, but it is not", e);
        }
    }

    /** As it was committed: what a proposal expects to find unchanged. */
    public final StoredObject stored() {
        return stored;
    }

    /** All of it, to be read. */
    public final ObjectNode tree() {
        return tree;
    }

    /** All of it, to be changed. */
    public final ObjectNode copy() {
        return tree.deepCopy();
    }

    public final ObjectKey key() {
        return stored.key();
    }

    public final long revision() {
        return stored.revision();
    }

    /** The object as the reason of what is decided upon it. */
    public final Cause cause() {
        return Cause.revision(stored.revision());
    }

    public final String name() {
        return key().name();
    }

    /** "" if it is cluster-wide. */
    public final String namespace() {
        return key().namespace().orElse("");
    }

    public final String uid() {
        return metadata().path("uid").asText("");
    }

    /** When it was created; the beginning of time if it does not say. */
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

    /** Missing if it has none. */
    public final JsonNode labels() {
        return metadata().path("labels");
    }

    public final JsonNode metadata() {
        return tree.path("metadata");
    }

    /** Missing if it has none. */
    public final JsonNode spec() {
        return tree.path("spec");
    }

    /** Missing if it has none. */
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
    public final String toString() {
        return stored.key() + "@" + stored.revision();
    }
}
