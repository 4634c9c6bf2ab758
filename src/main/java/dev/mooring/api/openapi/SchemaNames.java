package dev.mooring.api.openapi;

import dev.mooring.api.discovery.DiscoveredKind;
import dev.mooring.api.schema.Field;
import dev.mooring.api.schema.Type;
import dev.mooring.api.schema.Type.ListOf;
import dev.mooring.api.schema.Type.MapOf;
import dev.mooring.api.schema.Type.Struct;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What types are called in OpenAPI: {@code io.k8s.api.core.v1.PersistentVolume}. A type belongs to the group of the first kind that
 * leads to it, except for those that Kubernetes keeps elsewhere. Immutable.
 */
final class SchemaNames {
    static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
    static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
    static final String TIME = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
    static final String MICRO_TIME = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
    static final String PATCH = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";

    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final String CORE = "io.k8s.api.core.v1.";
    private static final Set<String> META_TYPES = Set.of(
            "ObjectMeta",
            "OwnerReference",
            "ManagedFieldsEntry",
            "ListMeta",
            "LabelSelector",
            "LabelSelectorRequirement",
            "FieldSelectorRequirement",
            "Condition",
            "DeleteOptions",
            "Preconditions",
            "Status",
            "StatusDetails",
            "StatusCause");

    /** Used by no kind of the core group, and still at home there. */
    private static final Set<String> CORE_TYPES = Set.of("TopologySelectorTerm", "TopologySelectorLabelRequirement");

    private final Map<String, String> names = new HashMap<>();
    private final Set<String> atomic = new HashSet<>();

    SchemaNames(List<DescribedKind> kinds) {
        kinds.stream().filter(kind -> kind.served().group().isEmpty()).forEach(this::claim);
        kinds.forEach(this::claim);
    }

    String of(Struct type) {
        String name = names.get(type.name());
        if (name == null) {
            throw new IllegalArgumentException(
                    "Expected a type that some served kind leads to, but none leads to " + type.name());
        }
        return name;
    }

    /** Whether server-side apply takes objects of the type as a whole, unless a field says otherwise. */
    boolean isAtomic(Struct type) {
        return atomic.contains(type.name());
    }

    private void claim(DescribedKind kind) {
        claim(kind.type(), home(kind.served()));
    }

    private void claim(Type type, String home) {
        if (type instanceof ListOf list) {
            claim(list.element(), home);
        } else if (type instanceof MapOf map) {
            claim(map.value(), home);
        } else if (type instanceof Struct struct) {
            if (struct.atomic()) {
                atomic.add(struct.name());
            }
            if (names.putIfAbsent(struct.name(), homeOf(struct.name(), home) + struct.name()) == null) {
                for (Field field : struct.fields()) {
                    claim(field.type(), home);
                }
            }
        }
    }

    private static String homeOf(String type, String home) {
        if (META_TYPES.contains(type)) {
            return META;
        }
        return CORE_TYPES.contains(type) ? CORE : home;
    }

    /** Kubernetes' own groups, and others as it names custom resources: the domain backwards. */
    private static String home(DiscoveredKind kind) {
        String group = kind.group();
        if (group.isEmpty()) {
            return CORE;
        }
        if (group.endsWith(".k8s.io") || group.indexOf('.') < 0) {
            int dot = group.indexOf('.');
            return "io.k8s.api." + (dot < 0 ? group : group.substring(0, dot)) + "." + kind.version() + ".";
        }
        StringBuilder reversed = new StringBuilder();
        for (String label : group.split("\\.", -1)) {
            reversed.insert(0, label + ".");
        }
        return reversed + kind.version() + ".";
    }
}
