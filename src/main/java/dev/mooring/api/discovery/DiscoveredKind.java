package dev.mooring.api.discovery;

import java.util.List;

/**
 * A kind as clients see it.
 *
 * @param group empty for the core group
 * @param plural the resource in paths: {@code persistentvolumeclaims}
 * @param categories names that stand for several kinds: {@code all}
 */
public record DiscoveredKind(
        String group,
        String version,
        String kind,
        String plural,
        String singular,
        List<String> shortNames,
        List<String> categories,
        Scope scope,
        List<String> verbs,
        List<Subresource> subresources) {

    public DiscoveredKind {
        shortNames = List.copyOf(shortNames);
        categories = List.copyOf(categories);
        verbs = List.copyOf(verbs);
        subresources = List.copyOf(subresources);
    }

    /** Where its objects live. */
    public enum Scope {
        NAMESPACED("Namespaced"),
        CLUSTER("Cluster");

        private final String text;

        Scope(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * A part of an object with a path of its own, or something done to it.
     *
     * @param name last part of the path: {@code status}
     * @param group of the kind that is sent and answered there
     */
    public record Subresource(String name, String group, String version, String kind, List<String> verbs) {
        public Subresource {
            verbs = List.copyOf(verbs);
        }
    }

    /** {@code v1}, {@code storage.k8s.io/v1}. */
    public String groupVersion() {
        return group.isEmpty() ? version : group + "/" + version;
    }

    /** {@code /api/v1}, {@code /apis/storage.k8s.io/v1}. */
    public String root() {
        return (group.isEmpty() ? "/api/" : "/apis/") + groupVersion();
    }
}
