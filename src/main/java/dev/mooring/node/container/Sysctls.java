package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The settings of the kernel that a Pod may have of its own: those that reach nobody else. Stateless. */
final class Sysctls {
    private static final String OF_NETWORK = "net.";

    /** Those that a kubelet allows without being told to. */
    private static final Set<String> SAFE = Set.of(
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

    private Sysctls() {}

    static Map<String, String> of(Pod pod) throws ConfigException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (JsonNode each : pod.spec().path("securityContext").path("sysctls")) {
            String name = each.path("name").asText("");
            String plain = normalized(name);
            if (!SAFE.contains(plain)) {
                throw forbidden(name, "not allowlisted");
            }
            boolean ofNetwork = plain.startsWith(OF_NETWORK);
            if (pod.spec().path(ofNetwork ? "hostNetwork" : "hostIPC").asBoolean(false)) {
                throw forbidden(name, "not allowed with host " + (ofNetwork ? "net" : "ipc") + " enabled");
            }
            settings.put(plain, each.path("value").asText(""));
        }
        return settings;
    }

    private static ConfigException forbidden(String name, String why) {
        return new ConfigException(ConfigException.SYSCTL_FORBIDDEN, "forbidden sysctl: \"" + name + "\" " + why);
    }

    /** Both a/b and a.b are in use; which it is, the first of them tells. */
    private static String normalized(String name) {
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
