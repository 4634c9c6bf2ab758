package dev.mooring.api.rules.pod;

import java.util.List;
import java.util.function.Consumer;

/** Rules of fields that are only valid for one operating system. Stateless. */
final class OperatingSystemRules {
    private static final List<String> KNOWN = List.of("linux", "windows");
    private static final String NOT_ON_WINDOWS = "cannot be set for a windows pod";
    private static final String NOT_ON_LINUX = "windows options cannot be set for a linux pod";
    private static final List<String> SPEC_OF_LINUX =
            List.of("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace");
    /** Fields in which {@code false} equals absent. */
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

    private OperatingSystemRules() {}

    static void check(FieldCursor spec) {
        FieldCursor os = spec.at("os");
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

    private static void linux(FieldCursor spec) {
        refuse(spec.at("securityContext"), List.of("windowsOptions"), NOT_ON_LINUX);
        eachContainer(
                spec, container -> refuse(container.at("securityContext"), List.of("windowsOptions"), NOT_ON_LINUX));
    }

    private static void windows(FieldCursor spec) {
        refuse(spec.at("securityContext"), POD_CONTEXT_OF_LINUX, NOT_ON_WINDOWS);
        refuse(spec, SPEC_OF_LINUX, NOT_ON_WINDOWS);
        eachContainer(spec, container -> refuse(container.at("securityContext"), CONTEXT_OF_LINUX, NOT_ON_WINDOWS));
    }

    private static void refuse(FieldCursor object, List<String> fields, String why) {
        for (String field : fields) {
            FieldCursor at = object.at(field);
            if (at.present() && !(ONLY_WHEN_TRUE.contains(field) && !object.flag(field))) {
                at.forbidden(why);
            }
        }
    }

    /** Visits all containers in Kubernetes' order, init containers first. */
    static void eachContainer(FieldCursor spec, Consumer<FieldCursor> visitor) {
        spec.each("initContainers").forEach(visitor);
        spec.each("containers").forEach(visitor);
        spec.each("ephemeralContainers").forEach(visitor);
    }
}
