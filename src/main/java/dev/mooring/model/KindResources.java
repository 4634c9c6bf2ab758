package dev.mooring.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Maps kinds to resources and their scope, to get from a reference (kind and name) to a key. A constant table; pure.
 */
public final class KindResources {
    /**
     * A kind.
     *
     * @param group "" for the core group
     * @param resource as in {@link ObjectKey#resource()}: the plural, followed by the group
     */
    public record ResourceKind(
            String group, String version, String kind, String resource, ResourceScope resourceScope) {
        public String apiVersion() {
            return group.isEmpty() ? version : group + '/' + version;
        }

        public boolean isNamespaced() {
            return resourceScope == ResourceScope.NAMESPACED;
        }

        /**
         * Returns the key of an object of this kind.
         *
         * @param namespace ignored if the kind is cluster-scoped
         * @throws IllegalArgumentException if the name is invalid
         */
        public ObjectKey key(String namespace, String name) {
            return isNamespaced()
                    ? ObjectKey.namespaced(resource, namespace, name)
                    : ObjectKey.clusterWide(resource, name);
        }
    }

    /** Whether objects of a kind are namespaced. */
    public enum ResourceScope {
        NAMESPACED,
        CLUSTER
    }

    private static final List<ResourceKind> ALL = List.of(
            entry("", "ConfigMap", "configmaps", ResourceScope.NAMESPACED),
            entry("", "Event", "events", ResourceScope.NAMESPACED),
            entry("", "Namespace", "namespaces", ResourceScope.CLUSTER),
            entry("", "Node", "nodes", ResourceScope.CLUSTER),
            entry("", "PersistentVolume", "persistentvolumes", ResourceScope.CLUSTER),
            entry("", "PersistentVolumeClaim", "persistentvolumeclaims", ResourceScope.NAMESPACED),
            entry("", "Pod", "pods", ResourceScope.NAMESPACED),
            entry("", "PodTemplate", "podtemplates", ResourceScope.NAMESPACED),
            entry("", "ReplicationController", "replicationcontrollers", ResourceScope.NAMESPACED),
            entry("", "ResourceQuota", "resourcequotas", ResourceScope.NAMESPACED),
            entry("", "Secret", "secrets", ResourceScope.NAMESPACED),
            entry("", "Service", "services", ResourceScope.NAMESPACED),
            entry("", "ServiceAccount", "serviceaccounts", ResourceScope.NAMESPACED),
            entry("apps", "ControllerRevision", "controllerrevisions", ResourceScope.NAMESPACED),
            entry("apps", "DaemonSet", "daemonsets", ResourceScope.NAMESPACED),
            entry("apps", "Deployment", "deployments", ResourceScope.NAMESPACED),
            entry("apps", "ReplicaSet", "replicasets", ResourceScope.NAMESPACED),
            entry("apps", "StatefulSet", "statefulsets", ResourceScope.NAMESPACED),
            entry("batch", "CronJob", "cronjobs", ResourceScope.NAMESPACED),
            entry("batch", "Job", "jobs", ResourceScope.NAMESPACED),
            entry("coordination.k8s.io", "Lease", "leases", ResourceScope.NAMESPACED),
            entry("discovery.k8s.io", "EndpointSlice", "endpointslices", ResourceScope.NAMESPACED),
            entry("mooring.dev", "ActualVolume", "actualvolumes", ResourceScope.CLUSTER),
            entry("mooring.dev", "DesiredVolume", "desiredvolumes", ResourceScope.CLUSTER),
            entry("mooring.dev", "Token", "tokens", ResourceScope.CLUSTER),
            entry("mooring.dev", "VolumeOperation", "volumeoperations", ResourceScope.CLUSTER),
            entry("node.k8s.io", "RuntimeClass", "runtimeclasses", ResourceScope.CLUSTER),
            entry("scheduling.k8s.io", "PriorityClass", "priorityclasses", ResourceScope.CLUSTER),
            entry("storage.k8s.io", "StorageClass", "storageclasses", ResourceScope.CLUSTER),
            entry("storage.k8s.io", "VolumeAttachment", "volumeattachments", ResourceScope.CLUSTER));

    private static final List<ResourceKind> NAMESPACED =
            ALL.stream().filter(ResourceKind::isNamespaced).toList();

    private static final Map<String, ResourceKind> BY_RESOURCE =
            ALL.stream().collect(Collectors.toUnmodifiableMap(ResourceKind::resource, Function.identity()));

    private static final Map<String, ResourceKind> BY_KIND = ALL.stream()
            .collect(Collectors.toUnmodifiableMap(each -> each.group() + '/' + each.kind(), Function.identity()));

    private KindResources() {}

    private static ResourceKind entry(String group, String kind, String plural, ResourceScope reach) {
        return new ResourceKind(group, "v1", kind, group.isEmpty() ? plural : plural + '.' + group, reach);
    }

    /** Returns all kinds, by group and kind. */
    public static List<ResourceKind> all() {
        return ALL;
    }

    public static List<ResourceKind> namespaced() {
        return NAMESPACED;
    }

    /** Returns the kind of a resource. */
    public static Optional<ResourceKind> ofResource(String resource) {
        return Optional.ofNullable(BY_RESOURCE.get(resource));
    }

    /**
     * Returns the kind that a reference names; the version is ignored, since an object has all versions of its kind.
     */
    public static Optional<ResourceKind> ofKind(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        return Optional.ofNullable(BY_KIND.get(group + '/' + kind));
    }
}
