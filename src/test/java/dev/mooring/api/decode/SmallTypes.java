package dev.mooring.api.decode;

import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListKind;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import java.util.List;
import java.util.Optional;

/** A claim cut down to one field of each sort. */
final class SmallTypes {
    private static final Struct META = struct(
            "ObjectMeta",
            field("name", Scalar.STRING),
            field("labels", new MapOf(Scalar.STRING, false)),
            field("creationTimestamp", Scalar.TIME),
            field("generation", Scalar.INT64));

    private static final Struct PORT =
            struct("ContainerPort", field("port", Scalar.INT32), field("target", Scalar.INT_OR_STRING));

    private static final Struct RESOURCES = struct(
            "VolumeResourceRequirements",
            field("requests", new MapOf(Scalar.QUANTITY, false)),
            field("limits", new MapOf(Scalar.QUANTITY, false)));

    static final Struct CLAIM = struct(
            "PersistentVolumeClaim",
            field("apiVersion", Scalar.STRING),
            field("kind", Scalar.STRING),
            field("metadata", META),
            field(
                    "spec",
                    struct(
                            "PersistentVolumeClaimSpec",
                            field("accessModes", list(Scalar.STRING)),
                            field("resources", RESOURCES),
                            field("ports", list(PORT)),
                            field("suspended", Scalar.BOOLEAN),
                            field("weight", Scalar.DOUBLE),
                            field("renewed", Scalar.MICRO_TIME),
                            field("key", Scalar.BYTES),
                            field("data", new MapOf(Scalar.BYTES, false)),
                            field("any", Scalar.ANY))));

    private SmallTypes() {}

    private static Struct struct(String name, Field... fields) {
        return new Struct(name, name + " of a test", false, List.of(fields));
    }

    private static Type list(Type element) {
        return new ListOf(element, ListKind.ATOMIC, List.of());
    }

    private static Field field(String name, Type type) {
        return new Field(name, type, false, "", Field.PatchStrategy.DEFAULT, Optional.empty(), Optional.empty());
    }
}
