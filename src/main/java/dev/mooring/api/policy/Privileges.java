package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.SafeSysctls;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds fields of a Pod that affect the host: those that the Pod Security Standard "baseline" refuses, except host
 * ports and host paths. Host ports are the only way to reach a Pod from outside; host paths have their own rules.
 * Stateless; thread-safe.
 */
final class Privileges {
    /** A field and its value, as written in a manifest. */
    record Privilege(String field, String value) {}

    private record PrivilegeRule(FieldPathPattern path, Predicate<JsonNode> reaches) {}

    /** Default capabilities of containers. */
    private static final Set<String> USUAL_CAPABILITIES = Set.of(
            "AUDIT_WRITE",
            "CHOWN",
            "DAC_OVERRIDE",
            "FOWNER",
            "FSETID",
            "KILL",
            "MKNOD",
            "NET_BIND_SERVICE",
            "SETFCAP",
            "SETGID",
            "SETPCAP",
            "SETUID",
            "SYS_CHROOT");

    /** SELinux types that confine containers. */
    static final Set<String> SE_LINUX_TYPES =
            Set.of("", "container_t", "container_init_t", "container_kvm_t", "container_engine_t");

    /** Fields with the host of a container's probes and hooks, if it is not the Pod. */
    private static final List<String> HOSTS = Stream.of(
                    "livenessProbe", "readinessProbe", "startupProbe", "lifecycle.postStart", "lifecycle.preStop")
            .flatMap(handler -> Stream.of(handler + ".httpGet.host", handler + ".tcpSocket.host"))
            .toList();

    private static final List<FieldPathPattern> HOST_PATHS =
            HOSTS.stream().map(FieldPathPattern::of).toList();

    private static final List<PrivilegeRule> ROWS = rows();

    private Privileges() {}

    private static List<PrivilegeRule> rows() {
        List<PrivilegeRule> rows = new ArrayList<>();
        for (String each : List.of("hostNetwork", "hostPID", "hostIPC")) {
            add(rows, each, Privileges::isTrue);
        }
        add(rows, "securityContext.sysctls[].name", name -> !SafeSysctls.has(name.asText()));
        context(rows, "securityContext.");
        for (String list : List.of("containers[]", "initContainers[]", "ephemeralContainers[]")) {
            String context = list + ".securityContext.";
            add(rows, context + "privileged", Privileges::isTrue);
            add(rows, context + "capabilities.add[]", Privileges::isUnusual);
            add(rows, context + "procMount", value -> !is("Default", value));
            context(rows, context);
            for (String host : HOSTS) {
                // The requests come from the host network and reach addresses that the Pod itself cannot.
                add(rows, list + '.' + host, value -> !is("", value));
            }
        }
        return List.copyOf(rows);
    }

    private static void context(List<PrivilegeRule> rows, String context) {
        add(rows, context + "seccompProfile.type", value -> is("Unconfined", value));
        add(rows, context + "appArmorProfile.type", value -> is("Unconfined", value));
        add(rows, context + "seLinuxOptions.type", value -> !SE_LINUX_TYPES.contains(value.asText()));
        for (String each : List.of("user", "role")) {
            add(rows, context + "seLinuxOptions." + each, value -> !is("", value));
        }
    }

    private static void add(List<PrivilegeRule> rows, String pattern, Predicate<JsonNode> reaches) {
        rows.add(new PrivilegeRule(FieldPathPattern.of(pattern), reaches));
    }

    static List<Privilege> of(JsonNode pod) {
        List<Privilege> found = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        for (PrivilegeRule row : ROWS) {
            row.path.visit("spec", spec, (field, name, value) -> {
                if (row.reaches.test(value)) {
                    found.add(new Privilege(field, value.toString()));
                }
            });
        }
        return found;
    }

    /** Returns the hosts that a container's probes and hooks name. */
    static Set<String> handlerHosts(JsonNode container) {
        Set<String> hosts = new TreeSet<>();
        for (FieldPathPattern pattern : HOST_PATHS) {
            pattern.visit("", container, (field, name, value) -> {
                if (!is("", value)) {
                    hosts.add(value.asText());
                }
            });
        }
        return hosts;
    }

    private static boolean isTrue(JsonNode value) {
        return value.asBoolean(false);
    }

    private static boolean is(String text, JsonNode value) {
        return value.asText().equals(text);
    }

    /** Returns whether a capability is not a default one. Docker accepts them with and without prefix, in any case. */
    static boolean isUnusual(JsonNode capability) {
        String name = capability.asText().toUpperCase(Locale.ROOT);
        return !USUAL_CAPABILITIES.contains(name.startsWith("CAP_") ? name.substring("CAP_".length()) : name);
    }
}
