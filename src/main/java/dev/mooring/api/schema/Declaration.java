package dev.mooring.api.schema;

import dev.mooring.api.schema.BrokenSchema.Place;
import java.util.List;
import java.util.Optional;

/**
 * A {@code type} or {@code part} as a schema file writes it: names are not yet looked up. Immutable.
 *
 * @param part whether this is a part: fields that several types include, and no type of its own
 */
record Declaration(
        Place place, String name, boolean part, boolean atomic, String description, List<? extends Member> members) {

    /** A line within a declaration. */
    sealed interface Member {
        Place place();
    }

    /** {@code +Part}: all fields of that part, here. */
    record Include(Place place, String part) implements Member {}

    /** {@code name type attributes "description"}. */
    record FieldLine(Place place, String name, String type, Attributes attributes, String description)
            implements Member {}

    /**
     * What stands between the type and the description of a field.
     *
     * @param merging how server-side apply merges the value, where the line says so
     * @param keys of {@link Merging#MAP}
     */
    record Attributes(
            boolean required,
            Optional<Merging> merging,
            List<String> keys,
            Field.PatchStrategy patch,
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
