package dev.mooring.model;

import java.util.Set;

/** Kernel parameters that affect only the Pod that sets them: those that a kubelet allows by default. Pure. */
public final class SafeSysctls {
    private static final Set<String> NAMES = Set.of(
            "kernel.shm_rmid_forced",
            "net.ipv4.ip_local_port_range",
            "net.ipv4.ip_local_reserved_ports",
            "net.ipv4.ip_unprivileged_port_start",
            "net.ipv4.ping_group_range",
            "net.ipv4.tcp_fin_timeout",
            "net.ipv4.tcp_keepalive_intvl",
            "net.ipv4.tcp_keepalive_probes",
            "net.ipv4.tcp_keepalive_time",
            "net.ipv4.tcp_rmem",
            "net.ipv4.tcp_syncookies",
            "net.ipv4.tcp_wmem");

    private SafeSysctls() {}

    /** @param name with dots or slashes */
    public static boolean has(String name) {
        return NAMES.contains(plain(name));
    }

    /** Returns the name with dots. Both a/b and a.b are in use; the first separator determines which. */
    public static String plain(String name) {
        int dot = name.indexOf('.');
        int slash = name.indexOf('/');
        if (slash < 0 || (dot >= 0 && dot < slash)) {
            return name;
        }
        StringBuilder swapped = new StringBuilder(name.length());
        name.chars().forEach(c -> swapped.append(c == '/' ? '.' : c == '.' ? '/' : (char) c));
        return swapped.toString();
    }
}
