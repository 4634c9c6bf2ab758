package dev.mooring.api.policy;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Host access that the administrator grants to the Pods of non-admin users. Anything else is refused. Immutable.
 *
 * @param privileged namespaces whose Pods may be privileged, share the host's namespaces and so on
 * @param hostPaths prefixes of host paths
 * @param shares NFS shares that Pods may mount without a claim
 * @param reservedPorts host ports that Pods may not use
 */
public record PodGrants(
        Set<String> privileged, List<HostPathPrefix> hostPaths, List<GrantedShare> shares, Set<Integer> reservedPorts) {
    /** All namespaces; as a server, all shares of all servers. */
    public static final String EVERYWHERE = "*";

    /** Port mapper, NFS and mountd: a Pod on one of them could impersonate this host's NFS server. */
    public static final Set<Integer> NFS_PORTS = Set.of(111, 2049, 20048);

    public static final PodGrants NOTHING = new PodGrants(Set.of(), List.of(), List.of(), NFS_PORTS);

    /**
     * Grants the Pods of one namespace, or {@link #EVERYWHERE}, a host path and everything below it.
     *
     * @param path absolute and normalized
     */
    public record HostPathPrefix(String namespace, Path path) {}

    /**
     * Grants the Pods of one namespace, or {@link #EVERYWHERE}, an NFS share. Only the share itself, not paths below
     * it: NFS servers follow symbolic links in the requested path, and tenants can create links in their shares.
     *
     * @param server as Pods must write it; {@link #EVERYWHERE} for all shares of all servers
     * @param path as Pods must write it, without a trailing slash
     */
    public record GrantedShare(String namespace, String server, String path) {
        private boolean covers(String askedServer, String askedPath) {
            return server.equals(EVERYWHERE)
                    || (server.equalsIgnoreCase(askedServer) && path.equals(withoutSlash(askedPath)));
        }

        public static String withoutSlash(String path) {
            int end = path.length();
            while (end > 1 && path.charAt(end - 1) == '/') {
                end--;
            }
            return path.substring(0, end);
        }

        @Override
        public String toString() {
            return server.equals(EVERYWHERE) ? EVERYWHERE : server + ':' + path;
        }
    }

    public PodGrants {
        privileged = Set.copyOf(privileged);
        hostPaths = List.copyOf(hostPaths);
        shares = List.copyOf(shares);
        reservedPorts = Set.copyOf(reservedPorts);
    }

    /** Returns a copy with other reserved ports. */
    public PodGrants withReservedPorts(Set<Integer> ports) {
        return new PodGrants(privileged, hostPaths, shares, ports);
    }

    private static boolean covers(String granted, String namespace) {
        return granted.equals(namespace) || granted.equals(EVERYWHERE);
    }

    boolean mayBePrivileged(String namespace) {
        return privileged.contains(namespace) || privileged.contains(EVERYWHERE);
    }

    List<Path> prefixes(String namespace) {
        return hostPaths.stream()
                .filter(each -> covers(each.namespace(), namespace))
                .map(HostPathPrefix::path)
                .distinct()
                .toList();
    }

    boolean mayMount(String namespace, String server, String path) {
        return shares.stream().anyMatch(each -> covers(each.namespace(), namespace) && each.covers(server, path));
    }

    /** Returns the shares that Pods of a namespace may mount, for messages. */
    String shares(String namespace) {
        String named = shares.stream()
                .filter(each -> covers(each.namespace(), namespace))
                .map(GrantedShare::toString)
                .distinct()
                .collect(Collectors.joining(", "));
        return named.isEmpty() ? "none" : named;
    }
}
