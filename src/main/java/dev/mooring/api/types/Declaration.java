package dev.mooring.api.types;

import dev.mooring.api.types.SchemaException.SourceLocation;
import java.util.List;
import java.util.Optional;

/**
 * A {@code type} or {@code part} declaration of a schema file, with unresolved names. Immutable.
 *
 * @param part whether this is a part: fields that several types include, but no type itself
 */
record Declaration(
        SourceLocation location,
        String name,
        boolean part,
        boolean atomic,
        String description,
        List<? extends Member> members) {

    /** A line within a declaration. */
    sealed interface Member {
        SourceLocation location();
    }

    /** {@code +Part}: includes all fields of that part. */
    record Include(SourceLocation location, String part) implements Member {}

    /** {@code name type attributes "description"}. */
    record FieldLine(SourceLocation location, String name, String type, FieldAttributes attributes, String description)
            implements Member {}

    /**
     * The attributes between the type and the description of a field.
     *
     * @param merging how server-side apply merges the value, if specified
     * @param keys of {@link Merging#MAP}
     */
    record FieldAttributes(
            boolean required,
            Optional<Merging> merging,
            List<String> keys,
            SchemaField.PatchStrategy patch,
            Optional<String> mergeKey,
            Optional<String> defaultText) {}

    /** How server-side apply merges a value. */
    enum Merging {
        ATOMIC,
        /** An object whose type is atomic, but not in this field. */
        GRANULAR,
        SET,
        MAP
    }
}
