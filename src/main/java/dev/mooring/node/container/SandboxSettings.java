package dev.mooring.node.container;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Pod;
import dev.mooring.runtime.ContainerSpec;
import dev.mooring.runtime.ContainerSpec.HostAlias;
import dev.mooring.runtime.ContainerSpec.HostProcesses;
import dev.mooring.runtime.ContainerSpec.Network;
import dev.mooring.runtime.ContainerSpec.Own;
import dev.mooring.runtime.ContainerSpec.Port;
import dev.mooring.runtime.ContainerSpec.Processes;
import dev.mooring.runtime.ContainerSpec.Seccomp;
import dev.mooring.runtime.ContainerSpec.Security;
import dev.mooring.runtime.ContainerSpec.Terminal;
import dev.mooring.runtime.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What holds a Pod's network and names, and the Pod's containers together. It does nothing, so it may nothing. Any thread. */
final class SandboxSettings {
    private static final int MAX_HOST_NAME = 63;
    private static final int MAX_FULL_NAME = 64;
    private static final String CLUSTER_DOMAIN = "cluster.local";

    private static final Security NONE =
            new Security("", List.of(), false, true, false, List.of(), List.of("ALL"), Seccomp.DEFAULT, false);

    private final DnsSettings dns;
    private final BooleanSupplier mayFavour;

    SandboxSettings(DnsSettings dns, BooleanSupplier mayFavour) {
        this.dns = dns;
        this.mayFavour = mayFavour;
    }

    ContainerSpec of(Pod pod, Labels.Of labels, String image) throws ConfigException {
        return new ContainerSpec(
                labels.containerName(),
                image,
                List.of(),
                List.of(),
                Map.of(),
                "",
                labels.labels(),
                surroundings(pod),
                List.of(),
                List.of(),
                NONE,
                mayFavour.getAsBoolean()
                        ? ResourceSettings.ofSandbox()
                        : ResourceSettings.unfavoured(ResourceSettings.ofSandbox()),
                Terminal.NONE,
                "");
    }

    /** Whose processes the Pod's containers see. */
    static Processes processes(Pod pod) {
        if (is(pod, "hostPID")) {
            return Processes.MACHINE;
        }
        return is(pod, "shareProcessNamespace") ? Processes.SANDBOX : Processes.OWN;
    }

    private Own surroundings(Pod pod) throws ConfigException {
        Network network = is(pod, "hostNetwork") ? Network.MACHINE : Network.OWN;
        return new Own(
                network,
                new HostProcesses(is(pod, "hostPID"), is(pod, "hostIPC")),
                network == Network.MACHINE ? "" : hostName(pod),
                dns.of(pod, network),
                hosts(pod),
                network == Network.MACHINE ? List.of() : ports(pod),
                Sysctls.of(pod));
    }

    private static boolean is(Pod pod, String field) {
        return pod.spec().path(field).asBoolean(false);
    }

    private static String hostName(Pod pod) throws ConfigException {
        JsonNode spec = pod.spec();
        if (spec.hasNonNull("hostnameOverride")) {
            return truncated(pod, spec.path("hostnameOverride").asText(""));
        }
        String asked = spec.path("hostname").asText("");
        String name = truncated(pod, asked.isEmpty() ? pod.name() : asked);
        String subdomain = spec.path("subdomain").asText("");
        if (subdomain.isEmpty() || !is(pod, "setHostnameAsFQDN")) {
            return name;
        }
        String full = name + '.' + subdomain + '.' + pod.namespace() + ".svc." + CLUSTER_DOMAIN;
        if (full.length() > MAX_FULL_NAME) {
            throw ConfigException.create("failed to construct FQDN from pod hostname and cluster domain, FQDN " + full
                    + " is too long (" + MAX_FULL_NAME + " characters is the max, " + full.length()
                    + " characters requested)");
        }
        return full;
    }

    private static String truncated(Pod pod, String name) throws ConfigException {
        int end = Math.min(MAX_HOST_NAME, name.length());
        while (name.length() > MAX_HOST_NAME && end > 0 && isJoint(name.charAt(end - 1))) {
            end--;
        }
        if (end == 0) {
            throw ConfigException.create("hostname for pod \"" + pod.name() + "\" was invalid: \"" + name + '"');
        }
        return name.substring(0, end);
    }

    private static boolean isJoint(char c) {
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

    /** Of all containers that are there together. */
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
}
