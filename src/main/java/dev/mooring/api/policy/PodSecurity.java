package dev.mooring.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.SafeSysctls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Kubernetes' Pod Security Standards in their newest version, with the messages of the admission plugin PodSecurity.
 * Does not check fields that {@link UnsupportedPodFields} refuses in every namespace: Windows' hostProcess, AppArmor
 * profiles, host seccomp profiles. Stateless; thread-safe.
 */
public final class PodSecurity {
    private static final Set<String> VOLUMES = Set.of(
            "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret");
    private static final Set<String> SECCOMP = Set.of("RuntimeDefault", "Localhost");

    /** The levels. Each includes the restrictions of the previous ones. */
    public enum PodSecurityLevel {
        PRIVILEGED,
        BASELINE,
        RESTRICTED;

        public static Optional<PodSecurityLevel> of(String text) {
            return Arrays.stream(values())
                    .filter(each -> each.text().equals(text))
                    .findFirst();
        }

        private String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the level with its version, as Kubernetes names it. */
        @Override
        public String toString() {
            return text() + ":latest";
        }
    }

    private record LevelViolation(String reason, String detail) {}

    private final JsonNode spec;
    private final List<JsonNode> containers = new ArrayList<>();
    private final List<LevelViolation> violations = new ArrayList<>();

    private PodSecurity(JsonNode pod) {
        this.spec = pod.path("spec");
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            spec.path(list).forEach(containers::add);
        }
    }

    /** Returns the violations of a level, with the containers concerned; "" if there are none. */
    public static String details(PodSecurityLevel level, JsonNode pod) {
        return text(level, pod, each -> each.reason() + " (" + each.detail() + ')');
    }

    /** Returns the violations in short form. */
    public static String reasons(PodSecurityLevel level, JsonNode pod) {
        return text(level, pod, LevelViolation::reason);
    }

    private static String text(PodSecurityLevel level, JsonNode pod, Function<LevelViolation, String> each) {
        PodSecurity checked = new PodSecurity(pod);
        if (level != PodSecurityLevel.PRIVILEGED) {
            checked.baseline();
            if (level == PodSecurityLevel.BASELINE) {
                checked.baselineOnly();
            } else {
                checked.restricted();
            }
        }
        return checked.violations.stream().map(each).collect(Collectors.joining(", "));
    }

    private void baseline() {
        hostNamespaces();
        hostPorts();
        hosts();
        List<String> privileged = names(each -> own(each).path("privileged").asBoolean(false));
        if (!privileged.isEmpty()) {
            add("privileged", containers(privileged) + " must not set securityContext.privileged=true");
        }
        procMount();
        seLinuxOptions();
        List<String> sysctls = new ArrayList<>();
        for (JsonNode each : spec.path("securityContext").path("sysctls")) {
            String name = each.path("name").asText("");
            if (!SafeSysctls.has(name)) {
                sysctls.add(name);
            }
        }
        if (!sysctls.isEmpty()) {
            add("forbidden sysctls", String.join(", ", sysctls));
        }
    }

    /** Checks that the restricted level replaces by its own. */
    private void baselineOnly() {
        Set<String> added = new TreeSet<>();
        List<String> adding = names(each -> addsOther(each, Privileges::isUnusual, added));
        if (!adding.isEmpty()) {
            add("non-default capabilities", mustNotAdd(adding, added));
        }
        List<String> hostPaths = new ArrayList<>();
        for (JsonNode each : spec.path("volumes")) {
            if (each.hasNonNull("hostPath")) {
                hostPaths.add(each.path("name").asText(""));
            }
        }
        if (!hostPaths.isEmpty()) {
            add("hostPath volumes", plural("volume", hostPaths.size()) + ' ' + quoted(hostPaths));
        }
        seccomp(PodSecurityLevel.BASELINE);
    }

    private void restricted() {
        List<String> escalating =
                names(each -> own(each).path("allowPrivilegeEscalation").asBoolean(true));
        if (!escalating.isEmpty()) {
            add(
                    "allowPrivilegeEscalation != false",
                    containers(escalating) + " must set securityContext.allowPrivilegeEscalation=false");
        }
        capabilities();
        Set<String> volumes = new TreeSet<>();
        for (JsonNode each : spec.path("volumes")) {
            if (VOLUMES.stream().noneMatch(each::hasNonNull)) {
                volumes.add(each.path("name").asText(""));
            }
        }
        if (!volumes.isEmpty()) {
            String list = volumes.stream().map(each -> '"' + each + '"').collect(Collectors.joining(" "));
            add("restricted volume types", "volumes [" + list + "] have restricted types");
        }
        nonRoot();
        List<String> asRoot = setters("runAsUser", user -> user.isNumber() && user.asLong() == 0);
        if (!asRoot.isEmpty()) {
            add("runAsUser=0", String.join(" and ", asRoot) + " must not set runAsUser=0");
        }
        seccomp(PodSecurityLevel.RESTRICTED);
    }

    private void hostNamespaces() {
        List<String> shared = new ArrayList<>();
        for (String each : List.of("hostIPC", "hostNetwork", "hostPID")) {
            if (spec.path(each).asBoolean(false)) {
                shared.add(each);
            }
        }
        if (!shared.isEmpty()) {
            add("host namespaces", String.join(", ", shared));
        }
    }

    private void hostPorts() {
        Set<String> ports = new TreeSet<>();
        List<String> using = names(container -> {
            boolean uses = false;
            for (JsonNode each : container.path("ports")) {
                JsonNode port = each.path("hostPort");
                uses |= port.asInt(0) != 0 && found(port.asText(), ports);
            }
            return uses;
        });
        if (!using.isEmpty()) {
            add("hostPort", uses(using) + plural("hostPort", ports.size()) + ' ' + String.join(", ", ports));
        }
    }

    private void hosts() {
        Set<String> hosts = new TreeSet<>();
        Set<String> using = new TreeSet<>(names(container -> {
            Set<String> named = Privileges.handlerHosts(container);
            hosts.addAll(named);
            return !named.isEmpty();
        }));
        if (!using.isEmpty()) {
            String reason = "probe or lifecycle host";
            add(reason, uses(using) + plural(reason, hosts.size()) + ' ' + quoted(hosts));
        }
    }

    private void procMount() {
        Set<String> values = new TreeSet<>();
        List<String> setting = names(container -> {
            String value = own(container).path("procMount").asText("Default");
            return !value.equals("Default") && found(value, values);
        });
        if (!setting.isEmpty()) {
            add("procMount", containers(setting) + " must not set securityContext.procMount to " + quoted(values));
        }
    }

    private void seLinuxOptions() {
        Set<String> types = new TreeSet<>();
        Set<String> fields = new TreeSet<>(Comparator.reverseOrder());
        List<String> bad = setters("seLinuxOptions", options -> {
            String type = options.path("type").asText("");
            boolean forbidden = !Privileges.SE_LINUX_TYPES.contains(type) && found(type, types);
            for (String each : List.of("user", "role")) {
                forbidden |= !options.path(each).asText("").isEmpty() && found(each, fields);
            }
            return forbidden;
        });
        if (!bad.isEmpty()) {
            List<String> details = new ArrayList<>();
            if (!types.isEmpty()) {
                details.add(plural("type", types.size()) + ' ' + quoted(types));
            }
            fields.forEach(each -> details.add(each + " may not be set"));
            add(
                    "seLinuxOptions",
                    String.join(" and ", bad) + " set forbidden securityContext.seLinuxOptions: "
                            + String.join("; ", details));
        }
    }

    private void capabilities() {
        List<String> details = new ArrayList<>();
        List<String> keeping = names(container -> {
            for (JsonNode each : own(container).path("capabilities").path("drop")) {
                if (each.asText("").equals("ALL")) {
                    return false;
                }
            }
            return true;
        });
        if (!keeping.isEmpty()) {
            details.add(containers(keeping) + " must set securityContext.capabilities.drop=[\"ALL\"]");
        }
        Set<String> added = new TreeSet<>();
        List<String> adding =
                names(each -> addsOther(each, name -> !name.asText("").equals("NET_BIND_SERVICE"), added));
        if (!adding.isEmpty()) {
            details.add(mustNotAdd(adding, added));
        }
        if (!details.isEmpty()) {
            add("unrestricted capabilities", String.join("; ", details));
        }
    }

    private static boolean addsOther(JsonNode container, Predicate<JsonNode> other, Set<String> found) {
        boolean adds = false;
        for (JsonNode each : own(container).path("capabilities").path("add")) {
            adds |= other.test(each) && found(each.asText(""), found);
        }
        return adds;
    }

    private void nonRoot() {
        String reason = "runAsNonRoot != true";
        List<String> refusing = setters("runAsNonRoot", value -> !value.asBoolean(false));
        if (!refusing.isEmpty()) {
            add(reason, String.join(" and ", refusing) + " must not set securityContext.runAsNonRoot=false");
            return;
        }
        List<String> silent = containersWithout("runAsNonRoot");
        if (!silent.isEmpty()) {
            add(reason, "pod or " + containers(silent) + " must set securityContext.runAsNonRoot=true");
        }
    }

    private void seccomp(PodSecurityLevel level) {
        String reason = "seccompProfile";
        Set<String> values = new TreeSet<>();
        List<String> bad = setters("seccompProfile", profile -> {
            String type = profile.path("type").asText("");
            return !SECCOMP.contains(type) && found(type, values);
        });
        if (!bad.isEmpty()) {
            add(
                    reason,
                    String.join(" and ", bad) + " must not set securityContext.seccompProfile.type to "
                            + quoted(values));
            return;
        }
        List<String> silent = level == PodSecurityLevel.RESTRICTED ? containersWithout("seccompProfile") : List.of();
        if (!silent.isEmpty()) {
            add(
                    reason,
                    "pod or " + containers(silent) + " must set securityContext.seccompProfile.type to"
                            + " \"RuntimeDefault\" or \"Localhost\"");
        }
    }

    private static boolean found(String value, Set<String> values) {
        values.add(value);
        return true;
    }

    /** Returns the objects that set a field of a security context to a forbidden value: pod, container "a". */
    private List<String> setters(String field, Predicate<JsonNode> bad) {
        List<String> setters = new ArrayList<>();
        JsonNode ofPod = spec.path("securityContext");
        if (ofPod.hasNonNull(field) && bad.test(ofPod.path(field))) {
            setters.add("pod");
        }
        List<String> names =
                names(each -> own(each).hasNonNull(field) && bad.test(own(each).path(field)));
        if (!names.isEmpty()) {
            setters.add(containers(names));
        }
        return setters;
    }

    /** Returns the containers for which neither they nor the Pod set a field of the security context. */
    private List<String> containersWithout(String field) {
        return spec.path("securityContext").hasNonNull(field)
                ? List.of()
                : names(each -> !own(each).hasNonNull(field));
    }

    private List<String> names(Predicate<JsonNode> predicate) {
        return containers.stream()
                .filter(predicate)
                .map(each -> each.path("name").asText(""))
                .toList();
    }

    private static JsonNode own(JsonNode container) {
        return container.path("securityContext");
    }

    private void add(String reason, String detail) {
        violations.add(new LevelViolation(reason, detail));
    }

    private static String mustNotAdd(List<String> names, Set<String> capabilities) {
        return containers(names) + " must not include " + quoted(capabilities) + " in securityContext.capabilities.add";
    }

    private static String uses(Collection<String> names) {
        return containers(names) + (names.size() == 1 ? " uses " : " use ");
    }

    private static String containers(Collection<String> names) {
        return plural("container", names.size()) + ' ' + quoted(names);
    }

    private static String plural(String word, int count) {
        return count == 1 ? word : word + 's';
    }

    private static String quoted(Collection<String> texts) {
        return texts.stream().collect(Collectors.joining("\", \"", "\"", "\""));
    }
}
