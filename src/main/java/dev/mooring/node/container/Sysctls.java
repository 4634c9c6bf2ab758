package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.SafeSysctls;
import dev.mooring.model.view.Pod;
import java.util.LinkedHashMap;
import java.util.Map;

/** The namespaced sysctls that a Pod may set. Stateless. */
final class Sysctls {
    private static final String OF_NETWORK = "net.";

    private Sysctls() {}

    static Map<String, String> of(Pod pod) throws ConfigException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (JsonNode each : pod.spec().path("securityContext").path("sysctls")) {
            String name = each.path("name").asText("");
            String plain = SafeSysctls.plain(name);
            if (!SafeSysctls.has(name)) {
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
}
