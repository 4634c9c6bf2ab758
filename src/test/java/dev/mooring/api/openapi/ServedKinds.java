package dev.mooring.api.openapi;

import dev.mooring.api.discovery.DiscoveredKind;
import dev.mooring.api.discovery.DiscoveredKind.Scope;
import dev.mooring.api.discovery.DiscoveredKind.Subresource;
import dev.mooring.api.schema.Schemas;
import java.util.List;
import java.util.Locale;

/** Kinds of several groups, with the real schemas. */
final class ServedKinds {
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private ServedKinds() {}

    static List<DescribedKind> all() {
        return List.of(
                kind("", "ConfigMap", "configmaps", Scope.NAMESPACED, "cm"),
                kind("", "Namespace", "namespaces", Scope.CLUSTER, "ns"),
                kind("", "PersistentVolumeClaim", "persistentvolumeclaims", Scope.NAMESPACED, "pvc"),
                kind("", "PersistentVolume", "persistentvolumes", Scope.CLUSTER, "pv"),
                kind("", "Pod", "pods", Scope.NAMESPACED, "po"),
                kind("storage.k8s.io", "StorageClass", "storageclasses", Scope.CLUSTER, "sc"),
                kind("storage.k8s.io", "VolumeAttachment", "volumeattachments", Scope.CLUSTER),
                kind("coordination.k8s.io", "Lease", "leases", Scope.NAMESPACED),
                kind("mooring.dev", "ActualVolume", "actualvolumes", Scope.CLUSTER));
    }

    private static DescribedKind kind(String group, String name, String plural, Scope scope, String... shortNames) {
        return new DescribedKind(
                new DiscoveredKind(
                        group,
                        "v1",
                        name,
                        plural,
                        name.toLowerCase(Locale.ROOT),
                        List.of(shortNames),
                        name.equals("Pod") ? List.of("all") : List.of(),
                        scope,
                        VERBS,
                        List.of(new Subresource("status", group, "v1", name, List.of("get", "patch", "update")))),
                Schemas.ofThisProgram().struct(name));
    }
}
