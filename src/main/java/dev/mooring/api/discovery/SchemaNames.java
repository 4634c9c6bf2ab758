package dev.mooring.api.discovery;

import dev.mooring.api.types.SchemaField;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.MapOf;
import dev.mooring.api.types.SchemaType.Struct;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Names of types in OpenAPI: {@code io.k8s.api.core.v1.PersistentVolume}. A type belongs to the group of the first kind
 * that references it, except for those that Kubernetes has elsewhere. Immutable.
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

    /** Types of the core group that no kind of it uses. */
    private static final Set<String> CORE_TYPES =
            Set.of("PodTemplateSpec", "TopologySelectorTerm", "TopologySelectorLabelRequirement");

    private final Map<String, String> names = new HashMap<>();
    private final Set<String> atomic = new HashSet<>();

    SchemaNames(List<OpenApi.DescribedKind> kinds) {
        kinds.stream().filter(kind -> kind.served().group().isEmpty()).forEach(this::claim);
        kinds.forEach(this::claim);
    }

    String of(Struct type) {
        String name = names.get(type.name());
        if (name == null) {
            throw new IllegalArgumentException("Type " + type.name() + " is not used by any served kind");
        }
        return name;
    }

    /** Returns whether server-side apply treats objects of the type as atomic, unless a field overrides it. */
    boolean isAtomic(Struct type) {
        return atomic.contains(type.name());
    }

    private void claim(OpenApi.DescribedKind kind) {
        claim(kind.type(), home(kind.served()));
    }

    private void claim(SchemaType type, String home) {
        if (type instanceof ListOf list) {
            claim(list.element(), home);
        } else if (type instanceof MapOf map) {
            claim(map.value(), home);
        } else if (type instanceof Struct struct) {
            if (struct.atomic()) {
                atomic.add(struct.name());
            }
            if (names.putIfAbsent(struct.name(), homeOf(struct.name(), home) + struct.name()) == null) {
                for (SchemaField field : struct.fields()) {
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

    /** Returns the package: Kubernetes' own for its groups, else the reversed domain, as for custom resources. */
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
