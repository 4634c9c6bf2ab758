package dev.mooring.api.types;

import java.util.Optional;

/**
 * A field of a {@link SchemaType.Struct}.
 *
 * @param required as shown in OpenAPI; the kind's rules enforce it, with better messages
 * @param mergeKey identifies list elements in a strategic merge patch
 * @param defaultText default shown in OpenAPI; the kind's rules set it
 */
public record SchemaField(
        String name,
        SchemaType type,
        boolean required,
        String description,
        PatchStrategy patch,
        Optional<String> mergeKey,
        Optional<String> defaultText) {

    /** How a strategic merge patch changes a list or an object. */
    public enum PatchStrategy {
        /** A list is replaced; an object is merged field by field. */
        DEFAULT,
        /** A list is merged: by {@link #mergeKey}, or as a set of scalars. */
        MERGE,
        /** Fields of the object that the patch's {@code $retainKeys} does not list are removed. */
        RETAIN_KEYS,
        /** Both: a list merged by key, whose elements obey {@code $retainKeys}. */
        MERGE_AND_RETAIN_KEYS
    }
}
