package dev.mooring.api.rules.pod;

import java.util.List;
import java.util.function.Consumer;

/** What only goes with one operating system. Stateless. */
final class OperatingSystem {
    private static final List<String> KNOWN = List.of("linux", "windows");
    private static final String NOT_ON_WINDOWS = "cannot be set for a windows pod";
    private static final String NOT_ON_LINUX = "windows options cannot be set for a linux pod";
    private static final List<String> SPEC_OF_LINUX =
            List.of("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace");
    /** In these, {@code false} is the same as nothing. */
    private static final List<String> ONLY_WHEN_TRUE = List.of("hostPID", "hostIPC");

    private static final List<String> POD_CONTEXT_OF_LINUX = List.of(
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "fsGroup",
            "fsGroupChangePolicy",
            "sysctls",
            "runAsUser",
            "runAsGroup",
            "supplementalGroups",
            "supplementalGroupsPolicy",
            "seLinuxChangePolicy");
    private static final List<String> CONTEXT_OF_LINUX = List.of(
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "capabilities",
            "readOnlyRootFilesystem",
            "privileged",
            "allowPrivilegeEscalation",
            "procMount",
            "runAsUser",
            "runAsGroup");

    private OperatingSystem() {}

    static void check(Spot spec) {
        Spot os = spec.at("os");
        if (!os.present()) {
            return;
        }
        String name = os.text("name");
        switch (name) {
            case "" -> os.at("name").required();
            case "linux" -> linux(spec);
            case "windows" -> windows(spec);
            default -> os.notSupported(name, KNOWN);
        }
    }

    private static void linux(Spot spec) {
        refuse(spec.at("securityContext"), List.of("windowsOptions"), NOT_ON_LINUX);
        eachContainer(
                spec, container -> refuse(container.at("securityContext"), List.of("windowsOptions"), NOT_ON_LINUX));
    }

    private static void windows(Spot spec) {
        refuse(spec.at("securityContext"), POD_CONTEXT_OF_LINUX, NOT_ON_WINDOWS);
        refuse(spec, SPEC_OF_LINUX, NOT_ON_WINDOWS);
        eachContainer(spec, container -> refuse(container.at("securityContext"), CONTEXT_OF_LINUX, NOT_ON_WINDOWS));
    }

    private static void refuse(Spot object, List<String> fields, String why) {
        for (String field : fields) {
            Spot at = object.at(field);
            if (at.present() && !(ONLY_WHEN_TRUE.contains(field) && !object.flag(field))) {
                at.forbidden(why);
            }
        }
    }

    /** Init containers come first, as Kubernetes visits them. */
    static void eachContainer(Spot spec, Consumer<Spot> visitor) {
        spec.each("initContainers").forEach(visitor);
        spec.each("containers").forEach(visitor);
        spec.each("ephemeralContainers").forEach(visitor);
    }
}
