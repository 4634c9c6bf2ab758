package dev.mooring.api.patch;

import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.Optional;

/**
 * The patch strategy of a value according to the schema. Fields unknown to the schema are merged as in RFC 7386:
 * objects field by field, lists replaced.
 *
 * @param type empty if unknown
 * @param listStrategy how a list is patched
 * @param mergeKey field that identifies elements of the list; empty for lists of scalars and for replaced lists
 */
record PatchSchema(Optional<SchemaType> type, ListStrategy listStrategy, Optional<String> mergeKey) {
    private static final PatchSchema UNKNOWN =
            new PatchSchema(Optional.empty(), ListStrategy.REPLACED, Optional.empty());

    enum ListStrategy {
        REPLACED,
        MERGED
    }

    static PatchSchema of(SchemaType type) {
        return new PatchSchema(Optional.of(type), ListStrategy.REPLACED, Optional.empty());
    }

    PatchSchema field(String name) {
        SchemaType known = type.orElse(null);
        if (known instanceof Struct struct) {
            return struct.field(name).map(PatchSchema::of).orElse(UNKNOWN);
        }
        return known instanceof MapOf map ? of(map.value()) : UNKNOWN;
    }

    private static PatchSchema of(SchemaField field) {
        return switch (field.patch()) {
            case MERGE, MERGE_AND_RETAIN_KEYS ->
                new PatchSchema(Optional.of(field.type()), ListStrategy.MERGED, field.mergeKey());
            case DEFAULT, RETAIN_KEYS -> of(field.type());
        };
    }

    PatchSchema element() {
        return type.orElse(null) instanceof ListOf list ? of(list.element()) : UNKNOWN;
    }

    /** Returns whether the value is replaced as a whole, even if it is an object. */
    boolean isOpaque() {
        return type.orElse(null) == Scalar.ANY;
    }
}
