package dev.mooring.api.patch;

import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import java.util.Optional;

/**
 * What the schema says about patching a value. About fields that the schema does not know it says nothing: they are merged as in RFC
 * 7386, that is, objects field by field and lists as a whole.
 *
 * @param type nothing if it is not known
 * @param lists what happens to the value if it is a list
 * @param mergeKey the field by which elements of the list are found; nothing in lists of scalars, and where lists are replaced
 */
record PatchShape(Optional<Type> type, Lists lists, Optional<String> mergeKey) {
    private static final PatchShape UNKNOWN = new PatchShape(Optional.empty(), Lists.REPLACED, Optional.empty());

    enum Lists {
        REPLACED,
        MERGED
    }

    static PatchShape of(Type type) {
        return new PatchShape(Optional.of(type), Lists.REPLACED, Optional.empty());
    }

    PatchShape field(String name) {
        Type known = type.orElse(null);
        if (known instanceof Struct struct) {
            return struct.field(name).map(PatchShape::of).orElse(UNKNOWN);
        }
        return known instanceof MapOf map ? of(map.value()) : UNKNOWN;
    }

    private static PatchShape of(Field field) {
        return switch (field.patch()) {
            case MERGE, MERGE_AND_RETAIN_KEYS ->
                new PatchShape(Optional.of(field.type()), Lists.MERGED, field.mergeKey());
            case DEFAULT, RETAIN_KEYS -> of(field.type());
        };
    }

    PatchShape element() {
        return type.orElse(null) instanceof ListOf list ? of(list.element()) : UNKNOWN;
    }

    /** Whether the value is taken as a whole, even if it is an object. */
    boolean isOpaque() {
        return type.orElse(null) == Scalar.ANY;
    }
}
