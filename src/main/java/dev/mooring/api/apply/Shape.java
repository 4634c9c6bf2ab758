package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListKind;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Scalar;
import dev.mooring.api.schema.Type.Struct;
import java.util.Optional;
import java.util.Set;

/** What the owner of fields has to know of a type: whether its parts have owners of their own, and what these parts are. */
final class Shape {
    private static final Set<String> THERE_BY_NAME = Set.of("metadata", "spec", "status");

    /** Types that Kubernetes holds by value, not by reference. */
    private static final Set<String> THERE_BY_TYPE = Set.of(
            "ContainerState",
            "DaemonEndpoint",
            "EventSource",
            "NodeDaemonEndpoints",
            "NodeSystemInfo",
            "PodTemplateSpec",
            "ResourceRequirements",
            "VolumeAttachmentSource",
            "VolumeResourceRequirements");

    /** Lists that Kubernetes writes even if they are empty. */
    private static final Set<String> THERE_AS_LISTS = Set.of("CSINodeSpec.drivers", "PodSpec.containers");

    private Shape() {}

    /** Whether the fields of an object of this type have owners of their own. */
    static boolean isOpenObject(Type type) {
        return type instanceof Struct struct ? !struct.atomic() : type instanceof MapOf map && !map.atomic();
    }

    /** Whether the elements of a list of this type have owners of their own. */
    static boolean isOpenList(Type type) {
        return type instanceof ListOf list && list.kind() != ListKind.ATOMIC;
    }

    /** Type of a field or of the values of a map; of what the schema does not know: anything. */
    static Type below(Type type, String name) {
        if (type instanceof MapOf map) {
            return map.value();
        }
        return named(type, name).map(Field::type).orElse(Scalar.ANY);
    }

    static Type belowStep(Type type, String element) {
        if (PathElement.isField(element)) {
            return below(type, PathElement.fieldName(element));
        }
        return PathElement.isKey(element) && type instanceof ListOf list ? list.element() : Scalar.ANY;
    }

    /** Whether the name is one of the schema, not just a key of a map. */
    static boolean declares(Type type, String name) {
        return named(type, name).isPresent();
    }

    private static Optional<Field> named(Type type, String name) {
        return type instanceof Struct struct ? struct.field(name) : Optional.empty();
    }

    /**
     * Whether the part is there even if nothing is in it, so that nobody adds or removes it. Kubernetes says so in its Go types:
     * what is no pointer is always there. Visible in managedFields, where such a part is never marked as a member.
     */
    static boolean isAlwaysThere(Type type, String name) {
        if (!(type instanceof Struct holder)) {
            return false;
        }
        Type below = below(type, name);
        if (below instanceof ListOf) {
            return THERE_AS_LISTS.contains(holder.name() + "." + name);
        }
        return below instanceof Struct struct
                && (THERE_BY_NAME.contains(name) || THERE_BY_TYPE.contains(struct.name()));
    }

    static boolean fitsObject(JsonNode value) {
        return value == null || value.isObject() || value.isNull();
    }

    static boolean fitsList(JsonNode value) {
        return value == null || value.isArray() || value.isNull();
    }
}
