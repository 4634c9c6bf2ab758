package dev.mooring.api.discovery;

import java.util.List;

/**
 * A kind as discovery shows it.
 *
 * @param group empty for the core group
 * @param plural the resource in paths: {@code persistentvolumeclaims}
 * @param categories names for several kinds: {@code all}
 */
public record DiscoveredKind(
        String group,
        String version,
        String kind,
        String plural,
        String singular,
        List<String> shortNames,
        List<String> categories,
        ResourceScope scope,
        List<String> verbs,
        List<Subresource> subresources) {

    public DiscoveredKind {
        shortNames = List.copyOf(shortNames);
        categories = List.copyOf(categories);
        verbs = List.copyOf(verbs);
        subresources = List.copyOf(subresources);
    }

    /** Whether objects are namespaced. */
    public enum ResourceScope {
        NAMESPACED("Namespaced"),
        CLUSTER("Cluster");

        private final String text;

        ResourceScope(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * A subresource: a part of an object with its own path, or an action on it.
     *
     * @param name last segment of the path: {@code status}
     * @param group of the kind in its requests and responses
     */
    public record Subresource(String name, String group, String version, String kind, List<String> verbs) {
        public Subresource {
            verbs = List.copyOf(verbs);
        }
    }

    /** Returns {@code v1} or {@code storage.k8s.io/v1}. */
    public String groupVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** Returns {@code /api/v1} or {@code /apis/storage.k8s.io/v1}. */
    public String root() {
        return (group.isEmpty() ? "/api/" : "/apis/") + groupVersion();
    }
}
