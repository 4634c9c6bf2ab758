package dev.mooring.model;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which resource the objects of a kind are kept under, and whether they live in namespaces: what is needed to get from a reference
 * (kind and name) to a key. A constant table; pure.
 */
public final class KindResources {
    /**
     * One kind.
     *
     * @param group "" for the core group
     * @param resource as in {@link ObjectKey#resource()}: the plural, with the group behind it
     */
    public record Entry(String group, String version, String kind, String resource, Reach reach) {
        public String apiVersion() {
            return group.isEmpty() ? version : group + '/' + version;
        }

        public boolean isNamespaced() {
            return reach == Reach.NAMESPACED;
        }

        /**
         * The key of an object of this kind.
         *
         * @param namespace not looked at if the kind is cluster-wide
         * @throws IllegalArgumentException if no object can have that name
         */
        public ObjectKey key(String namespace, String name) {
            return isNamespaced()
                    ? ObjectKey.namespaced(resource, namespace, name)
                    : ObjectKey.clusterWide(resource, name);
        }
    }

    /** Where the objects of a kind live. */
    public enum Reach {
        NAMESPACED,
        CLUSTER
    }

    private static final List<Entry> ALL = List.of(
            entry("", "ConfigMap", "configmaps", Reach.NAMESPACED),
            entry("", "Event", "events", Reach.NAMESPACED),
            entry("", "Namespace", "namespaces", Reach.CLUSTER),
            entry("", "Node", "nodes", Reach.CLUSTER),
            entry("", "PersistentVolume", "persistentvolumes", Reach.CLUSTER),
            entry("", "PersistentVolumeClaim", "persistentvolumeclaims", Reach.NAMESPACED),
            entry("", "Pod", "pods", Reach.NAMESPACED),
            entry("", "Secret", "secrets", Reach.NAMESPACED),
            entry("", "ServiceAccount", "serviceaccounts", Reach.NAMESPACED),
            entry("coordination.k8s.io", "Lease", "leases", Reach.NAMESPACED),
            entry("mooring.dev", "ActualVolume", "actualvolumes", Reach.CLUSTER),
            entry("mooring.dev", "DesiredVolume", "desiredvolumes", Reach.CLUSTER),
            entry("mooring.dev", "Token", "tokens", Reach.CLUSTER),
            entry("mooring.dev", "VolumeOperation", "volumeoperations", Reach.CLUSTER),
            entry("storage.k8s.io", "StorageClass", "storageclasses", Reach.CLUSTER),
            entry("storage.k8s.io", "VolumeAttachment", "volumeattachments", Reach.CLUSTER));

    private static final List<Entry> NAMESPACED =
            ALL.stream().filter(Entry::isNamespaced).toList();

    private static final Map<String, Entry> BY_RESOURCE =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Entry::resource, Function.identity()));

    private static final Map<String, Entry> BY_KIND = ALL.stream()
            .collect(Collectors.toUnmodifiableMap(each -> each.group() + '/' + each.kind(), Function.identity()));

    private KindResources() {}

    private static Entry entry(String group, String kind, String plural, Reach reach) {
        return new Entry(group, "v1", kind, group.isEmpty() ? plural : plural + '.' + group, reach);
    }

    /** All kinds, by group and kind. */
    public static List<Entry> all() {
        return ALL;
    }

    public static List<Entry> namespaced() {
        return NAMESPACED;
    }

    /** The kind whose objects are kept under a resource. */
    public static Optional<Entry> ofResource(String resource) {
        return Optional.ofNullable(BY_RESOURCE.get(resource));
    }

    /** The kind that a reference means; the version in it does not matter, since an object has all versions of its kind. */
    public static Optional<Entry> ofKind(String apiVersion, String kind) {
        int slash = apiVersion.indexOf('/');
        String group = slash < 0 ? "" : apiVersion.substring(0, slash);
        return Optional.ofNullable(BY_KIND.get(group + '/' + kind));
    }
}
