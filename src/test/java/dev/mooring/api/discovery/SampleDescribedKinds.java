package dev.mooring.api.discovery;

import dev.mooring.api.discovery.DiscoveredKind.ResourceScope;
import dev.mooring.api.discovery.DiscoveredKind.Subresource;
import dev.mooring.api.types.Schemas;
import java.util.List;
import java.util.Locale;

/** Kinds of several API groups, with their real schemas. */
final class SampleDescribedKinds {
    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private SampleDescribedKinds() {}

    static List<OpenApi.DescribedKind> all() {
        return List.of(
                kind("", "ConfigMap", "configmaps", ResourceScope.NAMESPACED, "cm"),
                kind("", "Namespace", "namespaces", ResourceScope.CLUSTER, "ns"),
                kind("", "PersistentVolumeClaim", "persistentvolumeclaims", ResourceScope.NAMESPACED, "pvc"),
                kind("", "PersistentVolume", "persistentvolumes", ResourceScope.CLUSTER, "pv"),
                kind("", "Pod", "pods", ResourceScope.NAMESPACED, "po"),
                kind("storage.k8s.io", "StorageClass", "storageclasses", ResourceScope.CLUSTER, "sc"),
                kind("storage.k8s.io", "VolumeAttachment", "volumeattachments", ResourceScope.CLUSTER),
                kind("coordination.k8s.io", "Lease", "leases", ResourceScope.NAMESPACED),
                kind("mooring.dev", "ActualVolume", "actualvolumes", ResourceScope.CLUSTER));
    }

    private static OpenApi.DescribedKind kind(
            String group, String name, String plural, ResourceScope scope, String... shortNames) {
        return new OpenApi.DescribedKind(
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
