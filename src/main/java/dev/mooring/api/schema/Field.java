package dev.mooring.api.schema;

import java.util.Optional;

/**
 * A field of a {@link Type.Struct}.
 *
 * @param required whether OpenAPI says so; that it is there is checked by the rules of the kind, which say it better
 * @param mergeKey by which a strategic merge patch finds the elements of a list
 * @param defaultText what OpenAPI shows as the default; setting it is the business of the kind's rules
 */
public record Field(
        String name,
        Type type,
        boolean required,
        String description,
        PatchStrategy patch,
        Optional<String> mergeKey,
        Optional<String> defaultText) {

    /** What a strategic merge patch does with a list or an object. */
    public enum PatchStrategy {
        /** A list is replaced; an object is merged field by field. */
        DEFAULT,
        /** A list is merged: by {@link #mergeKey}, or as a set of scalars. */
        MERGE,
        /** Fields of the object that the patch's {@code $retainKeys} does not list go. */
        RETAIN_KEYS,
        /** Both: a list merged by key, whose elements obey {@code $retainKeys}. */
        MERGE_AND_RETAIN_KEYS
    }
}
