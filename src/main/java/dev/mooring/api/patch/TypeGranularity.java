package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListKind;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Scalar;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.Optional;
import java.util.Set;

/** Answers ownership questions about a type: whether its parts have owners of their own, and which parts it has. */
final class TypeGranularity {
    private static final Set<String> PRESENT_BY_NAME = Set.of("metadata", "spec", "status");

    /** Types that Kubernetes' Go types hold by value, not by pointer. */
    private static final Set<String> PRESENT_BY_TYPE = Set.of(
            "ContainerState",
            "DaemonEndpoint",
            "EventSource",
            "NodeDaemonEndpoints",
            "NodeSystemInfo",
            "PodTemplateSpec",
            "ResourceRequirements",
            "VolumeAttachmentSource",
            "VolumeResourceRequirements");

    /** Lists that Kubernetes encodes even if they are empty. */
    private static final Set<String> PRESENT_AS_LISTS = Set.of("CSINodeSpec.drivers", "PodSpec.containers");

    private TypeGranularity() {}

    /** Returns whether the fields of an object of this type have owners of their own. */
    static boolean isGranularObject(SchemaType type) {
        return type instanceof Struct struct ? !struct.atomic() : type instanceof MapOf map && !map.atomic();
    }

    /** Returns whether the elements of a list of this type have owners of their own. */
    static boolean isGranularList(SchemaType type) {
        return type instanceof ListOf list && list.kind() != ListKind.ATOMIC;
    }

    /** Returns the type of a field or of the values of a map; the untyped schema for unknown fields. */
    static SchemaType childType(SchemaType type, String name) {
        if (type instanceof MapOf map) {
            return map.value();
        }
        return named(type, name).map(SchemaField::type).orElse(Scalar.ANY);
    }

    static SchemaType childTypeAt(SchemaType type, String element) {
        if (PathElement.isField(element)) {
            return childType(type, PathElement.fieldName(element));
        }
        return PathElement.isKey(element) && type instanceof ListOf list ? list.element() : Scalar.ANY;
    }

    /** Returns whether the schema declares the name; false for a key of a map. */
    static boolean declares(SchemaType type, String name) {
        return named(type, name).isPresent();
    }

    private static Optional<SchemaField> named(SchemaType type, String name) {
        return type instanceof Struct struct ? struct.field(name) : Optional.empty();
    }

    /**
     * Returns whether the value is present even if it is empty, so that it is never added or removed: Go struct fields
     * that are no pointers. Such a value is never marked as a member in managedFields.
     */
    static boolean isAlwaysPresent(SchemaType type, String name) {
        if (!(type instanceof Struct holder)) {
            return false;
        }
        SchemaType below = childType(type, name);
        if (below instanceof ListOf) {
            return PRESENT_AS_LISTS.contains(holder.name() + "." + name);
        }
        return below instanceof Struct struct
                && (PRESENT_BY_NAME.contains(name) || PRESENT_BY_TYPE.contains(struct.name()));
    }

    static boolean isObjectOrAbsent(JsonNode value) {
        return value == null || value.isObject() || value.isNull();
    }

    static boolean isListOrAbsent(JsonNode value) {
        return value == null || value.isArray() || value.isNull();
    }
}
