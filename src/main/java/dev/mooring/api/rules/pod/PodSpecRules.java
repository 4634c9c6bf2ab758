package dev.mooring.api.rules.pod;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Rules of the {@code spec} of a Pod, in Kubernetes' order. Stateless. */
final class PodSpecRules {
    private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
    private static final List<String> PREEMPTION_POLICIES = List.of("PreemptLowerPriority", "Never");
    private static final String NOT_OF_THE_HOST = "when `hostUsers` is false";

    private PodSpecRules() {}

    static void check(FieldCursor pod) {
        FieldCursor spec = pod.at("spec");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.at("terminationGracePeriodSeconds").required();
        }
        Map<String, FieldCursor> volumes =
                PodVolumeRules.check(spec.at("volumes"), pod.at("metadata").text("name"));
        ResourceClaimRules.check(spec.at("resourceClaims"));
        ContainerRules.check(spec, volumes);
        if (spec.has("resources")) {
            ResourceRules.checkOfPod(spec.at("resources"));
        }
        HostNameRules.checkHostNetwork(spec);
        requiredOneOf(spec.at("restartPolicy"), RESTART_POLICIES);
        HostNameRules.checkDnsPolicy(spec.at("dnsPolicy"));
        NameValidation.labels(spec.at("nodeSelector"));
        SecurityContextRules.checkOfPod(spec);
        SchedulingRules.checkAffinity(spec.at("affinity"));
        HostNameRules.checkDnsConfig(spec);
        SchedulingRules.checkReadinessGates(spec.at("readinessGates"));
        SchedulingRules.checkSchedulingGates(spec.at("schedulingGates"));
        SchedulingRules.checkSpread(spec.at("topologySpreadConstraints"));
        checkUsersOfHost(spec);
        HostNameRules.checkHostNameOverride(spec);
        subdomain(spec.at("serviceAccountName"));
        subdomain(spec.at("nodeName"));
        if (spec.has("activeDeadlineSeconds")) {
            NumberRules.inclusive(spec.at("activeDeadlineSeconds"), 1, Integer.MAX_VALUE);
        }
        HostNameRules.checkHostName(spec);
        SchedulingRules.checkTolerations(spec.at("tolerations"));
        HostNameRules.checkHostAliases(spec.at("hostAliases"));
        subdomain(spec.at("priorityClassName"));
        if (spec.has("runtimeClassName")) {
            NameValidation.subdomain(spec.at("runtimeClassName"));
        }
        if (spec.has("preemptionPolicy")) {
            requiredOneOf(spec.at("preemptionPolicy"), PREEMPTION_POLICIES);
        }
        ResourceRules.checkOverhead(spec.at("overhead"));
        OperatingSystemRules.check(spec);
        checkTokens(spec);
        spec.each("containers").forEach(ContainerRules::checkImageSpaces);
        spec.each("initContainers").forEach(ContainerRules::checkImageSpaces);
    }

    private static void subdomain(FieldCursor name) {
        if (!name.text().isEmpty()) {
            NameValidation.subdomain(name);
        }
    }

    private static void requiredOneOf(FieldCursor choice, List<String> supported) {
        if (choice.text().isEmpty()) {
            choice.required();
        } else if (!supported.contains(choice.text())) {
            choice.notSupported(supported);
        }
    }

    private static void checkUsersOfHost(FieldCursor spec) {
        if (SecurityContextRules.usesUsersOfHost(spec)) {
            return;
        }
        if (spec.flag("hostNetwork")) {
            spec.at("hostNetwork").forbidden(NOT_OF_THE_HOST);
        }
        if (spec.flag("hostPID")) {
            spec.at("HostPID").forbidden(NOT_OF_THE_HOST);
        }
        if (spec.flag("hostIPC")) {
            spec.at("HostIPC").forbidden(NOT_OF_THE_HOST);
        }
        OperatingSystemRules.eachContainer(spec, container -> {
            if (container.size("volumeDevices") > 0) {
                container.at("volumeDevices").forbidden(NOT_OF_THE_HOST);
            }
        });
    }

    private static void checkTokens(FieldCursor spec) {
        if (!spec.text("serviceAccountName").isEmpty()) {
            return;
        }
        for (FieldCursor volume : spec.each("volumes")) {
            for (FieldCursor source : volume.at("projected").each("sources")) {
                if (source.has("serviceAccountToken")) {
                    source.at("serviceAccountToken")
                            .forbidden("must not be specified when serviceAccountName is not set");
                }
            }
        }
    }

    /** Rules of fields that are only valid for one operating system. Stateless. */
    private static final class OperatingSystemRules {
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
                    spec,
                    container -> refuse(container.at("securityContext"), List.of("windowsOptions"), NOT_ON_LINUX));
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
}
