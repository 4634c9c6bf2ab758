package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.host.SafeSysctls;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What of a Pod reaches beyond its containers: what Kubernetes' Pod Security Standard "baseline" refuses, ports of the machine and host paths
 * excepted. Ports are the only way into a Pod from outside here; host paths have rules of their own. Stateless; any thread.
 */
final class Privileges {
    /** A field and its value, as a person would write it. */
    record Privilege(String field, String value) {}

    private record Row(FieldWay way, Predicate<JsonNode> reaches) {}

    /** Those that containers have anyway. */
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

    private static final List<Row> ROWS = rows();

    private Privileges() {}

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
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
        }
        return List.copyOf(rows);
    }

    private static void context(List<Row> rows, String context) {
        add(rows, context + "seccompProfile.type", value -> is("Unconfined", value));
        add(rows, context + "appArmorProfile.type", value -> is("Unconfined", value));
        add(rows, context + "seLinuxOptions", value -> !value.isEmpty());
    }

    private static void add(List<Row> rows, String way, Predicate<JsonNode> reaches) {
        rows.add(new Row(FieldWay.of(way), reaches));
    }

    static List<Privilege> of(JsonNode pod) {
        List<Privilege> found = new ArrayList<>();
        JsonNode spec = pod.path("spec");
        for (Row row : ROWS) {
            row.way.visit("spec", spec, (field, name, value) -> {
                if (row.reaches.test(value)) {
                    found.add(new Privilege(field, value.toString()));
                }
            });
        }
        return found;
    }

    private static boolean isTrue(JsonNode value) {
        return value.asBoolean(false);
    }

    private static boolean is(String text, JsonNode value) {
        return value.asText().equals(text);
    }

    /** Docker takes them with and without the prefix, in any case. */
    private static boolean isUnusual(JsonNode capability) {
        String name = capability.asText().toUpperCase(Locale.ROOT);
        return !USUAL_CAPABILITIES.contains(name.startsWith("CAP_") ? name.substring("CAP_".length()) : name);
    }
}
