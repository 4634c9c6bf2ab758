package dev.mooring.api.policy;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the administrator grants to the Pods of users who are no admins. What is not granted is refused. Immutable.
 *
 * @param privileged namespaces whose Pods may be privileged, share the machine's name spaces and the like
 * @param hostPaths prefixes of paths of the machine
 */
public record PodGrants(Set<String> privileged, List<Prefix> hostPaths) {
    /** Stands for all namespaces. */
    public static final String EVERYWHERE = "*";

    public static final PodGrants NOTHING = new PodGrants(Set.of(), List.of());

    /**
     * In one namespace, or {@link #EVERYWHERE}, Pods may have what lies at or below a path.
     *
     * @param path absolute and normalized
     */
    public record Prefix(String namespace, Path path) {}

    public PodGrants {
        privileged = Set.copyOf(privileged);
        hostPaths = List.copyOf(hostPaths);
    }

    boolean mayBePrivileged(String namespace) {
        return privileged.contains(namespace) || privileged.contains(EVERYWHERE);
    }

    List<Path> prefixes(String namespace) {
        return hostPaths.stream()
                .filter(each ->
                        each.namespace().equals(namespace) || each.namespace().equals(EVERYWHERE))
                .map(Prefix::path)
                .distinct()
                .toList();
    }
}
