package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.SafeSysctls;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerLabels;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.HostAlias;
import dev.mooring.runtime.ContainerSpec.HostNamespaces;
import dev.mooring.runtime.ContainerSpec.NetworkMode;
import dev.mooring.runtime.ContainerSpec.OwnNamespaces;
import dev.mooring.runtime.ContainerSpec.PidMode;
import dev.mooring.runtime.ContainerSpec.Port;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.StdinSettings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;

/**
 * Builds the spec of a Pod's sandbox, which holds its network and other shared namespaces. It does nothing, so it has
 * no privileges. Any thread.
 */
final class SandboxSettings {
    private static final int MAX_HOST_NAME = 63;
    private static final int MAX_FULL_NAME = 64;
    private static final String CLUSTER_DOMAIN = "cluster.local";
    private static final String NETWORK_SYSCTL = "net.";

    private final DnsSettings dns;
    private final BooleanSupplier mayLowerOomScore;
    private final OptionalLong pidsLimit;

    SandboxSettings(DnsSettings dns, BooleanSupplier mayFavour, OptionalLong pidsLimit) {
        this.dns = dns;
        this.mayLowerOomScore = mayFavour;
        this.pidsLimit = pidsLimit;
    }

    ContainerSpec of(Pod pod, ContainerLabels.ContainerIdentity labels, String image) throws ConfigException {
        return new ContainerSpec(
                labels.containerName(),
                image,
                List.of(),
                List.of(),
                Map.of(),
                "",
                labels.toLabels(),
                namespaces(pod),
                List.of(),
                List.of(),
                security(pod),
                mayLowerOomScore.getAsBoolean()
                        ? ResourceSettings.ofSandbox(pidsLimit)
                        : ResourceSettings.withoutOomProtection(ResourceSettings.ofSandbox(pidsLimit)),
                StdinSettings.NONE,
                "");
    }

    private static Security security(Pod pod) {
        return new Security(
                "",
                List.of(),
                false,
                true,
                false,
                List.of(),
                List.of("ALL"),
                Seccomp.DEFAULT,
                false,
                SecuritySettings.seLinux(pod.spec().path("securityContext").path("seLinuxOptions")));
    }

    /** Returns the PID namespace of the Pod's containers. */
    static PidMode processes(Pod pod) {
        if (is(pod, "hostPID")) {
            return PidMode.MACHINE;
        }
        return is(pod, "shareProcessNamespace") ? PidMode.SANDBOX : PidMode.OWN;
    }

    private OwnNamespaces namespaces(Pod pod) throws ConfigException {
        NetworkMode network = is(pod, "hostNetwork") ? NetworkMode.MACHINE : NetworkMode.OWN;
        return new OwnNamespaces(
                network,
                new HostNamespaces(is(pod, "hostPID"), is(pod, "hostIPC")),
                network == NetworkMode.MACHINE ? "" : hostName(pod),
                dns.of(pod, network),
                hosts(pod),
                network == NetworkMode.MACHINE ? List.of() : ports(pod),
                sysctls(pod));
    }

    private static boolean is(Pod pod, String field) {
        return pod.spec().path(field).asBoolean(false);
    }

    private static String hostName(Pod pod) throws ConfigException {
        String name = shortHostName(pod);
        if (domain(pod).isEmpty() || !is(pod, "setHostnameAsFQDN")) {
            return name;
        }
        String full = name + '.' + domain(pod);
        if (full.length() > MAX_FULL_NAME) {
            throw ConfigException.createError(
                    "failed to construct FQDN from pod hostname and cluster domain, FQDN " + full
                            + " is too long (" + MAX_FULL_NAME + " characters is the max, " + full.length()
                            + " characters requested)");
        }
        return full;
    }

    /** Returns the host name without a domain. */
    static String shortHostName(Pod pod) throws ConfigException {
        JsonNode spec = pod.spec();
        if (spec.hasNonNull("hostnameOverride")) {
            return truncated(pod, spec.path("hostnameOverride").asText(""));
        }
        String hostname = spec.path("hostname").asText("");
        return truncated(pod, hostname.isEmpty() ? pod.name() : hostname);
    }

    /** Returns the domain of a Pod with a subdomain; "" for none. */
    static String domain(Pod pod) {
        String subdomain = pod.spec().path("subdomain").asText("");
        return subdomain.isEmpty() || pod.spec().hasNonNull("hostnameOverride")
                ? ""
                : subdomain + '.' + pod.namespace() + ".svc." + CLUSTER_DOMAIN;
    }

    private static String truncated(Pod pod, String name) throws ConfigException {
        int end = Math.min(MAX_HOST_NAME, name.length());
        while (name.length() > MAX_HOST_NAME && end > 0 && isSeparator(name.charAt(end - 1))) {
            end--;
        }
        if (end == 0) {
            throw ConfigException.createError("hostname for pod \"" + pod.name() + "\" was invalid: \"" + name + '"');
        }
        return name.substring(0, end);
    }

    private static boolean isSeparator(char c) {
        return c == '-' || c == '.';
    }

    private static List<HostAlias> hosts(Pod pod) {
        List<HostAlias> hosts = new ArrayList<>();
        for (JsonNode alias : pod.spec().path("hostAliases")) {
            String address = alias.path("ip").asText("");
            alias.path("hostnames").forEach(name -> hosts.add(new HostAlias(name.asText(""), address)));
        }
        return hosts;
    }

    /** Returns the ports of all containers that run concurrently. */
    private static List<Port> ports(Pod pod) {
        List<Port> ports = new ArrayList<>();
        for (JsonNode each : pod.spec().path("initContainers")) {
            if (ResourceSettings.isSidecar(each)) {
                addPorts(each, ports);
            }
        }
        pod.spec().path("containers").forEach(each -> addPorts(each, ports));
        return ports;
    }

    private static void addPorts(JsonNode container, List<Port> ports) {
        for (JsonNode each : container.path("ports")) {
            Port port = new Port(
                    each.path("protocol").asText("TCP").toLowerCase(Locale.ROOT),
                    each.path("containerPort").asInt(0),
                    each.path("hostPort").asInt(0),
                    each.path("hostIP").asText(""));
            if (port.host() > 0 && !ports.contains(port)) {
                ports.add(port);
            }
        }
    }

    /** Returns the sysctls of a Pod, which must be namespaced and safe. */
    static Map<String, String> sysctls(Pod pod) throws ConfigException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (JsonNode each : pod.spec().path("securityContext").path("sysctls")) {
            String name = each.path("name").asText("");
            String plain = SafeSysctls.plain(name);
            if (!SafeSysctls.has(name)) {
                throw forbiddenSysctl(name, "not allowlisted");
            }
            boolean ofNetwork = plain.startsWith(NETWORK_SYSCTL);
            if (pod.spec().path(ofNetwork ? "hostNetwork" : "hostIPC").asBoolean(false)) {
                throw forbiddenSysctl(name, "not allowed with host " + (ofNetwork ? "net" : "ipc") + " enabled");
            }
            settings.put(plain, each.path("value").asText(""));
        }
        return settings;
    }

    private static ConfigException forbiddenSysctl(String name, String why) {
        return new ConfigException(ConfigException.SYSCTL_FORBIDDEN, "forbidden sysctl: \"" + name + "\" " + why);
    }
}
