package dev.mooring.api.types;

import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.List;
import java.util.Optional;

/** A claim reduced to one field of each type. */
final class SampleTypes {
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

    private SampleTypes() {}

    private static Struct struct(String name, SchemaField... fields) {
        return new Struct(name, name + " of a test", false, List.of(fields));
    }

    private static SchemaType list(SchemaType element) {
        return new ListOf(element, ListKind.ATOMIC, List.of());
    }

    private static SchemaField field(String name, SchemaType type) {
        return new SchemaField(
                name, type, false, "", SchemaField.PatchStrategy.DEFAULT, Optional.empty(), Optional.empty());
    }
}
