package dev.mooring.api.rules.pod;

import java.util.List;
import java.util.Map;

/** What the {@code spec} of a Pod may be, in the order in which Kubernetes looks at it. Stateless. */
final class PodSpecRules {
    private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
    private static final List<String> PREEMPTION_POLICIES = List.of("PreemptLowerPriority", "Never");
    private static final String NOT_OF_THE_HOST = "when `hostUsers` is false";

    private PodSpecRules() {}

    static void check(Spot pod) {
        Spot spec = pod.at("spec");
        if (!spec.has("terminationGracePeriodSeconds")) {
            spec.at("terminationGracePeriodSeconds").required();
        }
        Map<String, Spot> volumes =
                Volumes.check(spec.at("volumes"), pod.at("metadata").text("name"));
        DeviceClaims.check(spec.at("resourceClaims"));
        Containers.check(spec, volumes);
        if (spec.has("resources")) {
            Resources.checkOfPod(spec.at("resources"));
        }
        HostNaming.checkHostNetwork(spec);
        requiredOneOf(spec.at("restartPolicy"), RESTART_POLICIES);
        HostNaming.checkDnsPolicy(spec.at("dnsPolicy"));
        Spelled.labels(spec.at("nodeSelector"));
        SecurityContexts.checkOfPod(spec);
        Scheduling.checkAffinity(spec.at("affinity"));
        HostNaming.checkDnsConfig(spec);
        Scheduling.checkReadinessGates(spec.at("readinessGates"));
        Scheduling.checkSchedulingGates(spec.at("schedulingGates"));
        Scheduling.checkSpread(spec.at("topologySpreadConstraints"));
        checkUsersOfHost(spec);
        HostNaming.checkHostNameOverride(spec);
        subdomain(spec.at("serviceAccountName"));
        subdomain(spec.at("nodeName"));
        if (spec.has("activeDeadlineSeconds")) {
            Ranges.inclusive(spec.at("activeDeadlineSeconds"), 1, Integer.MAX_VALUE);
        }
        HostNaming.checkHostName(spec);
        Scheduling.checkTolerations(spec.at("tolerations"));
        HostNaming.checkHostAliases(spec.at("hostAliases"));
        subdomain(spec.at("priorityClassName"));
        if (spec.has("runtimeClassName")) {
            Spelled.subdomain(spec.at("runtimeClassName"));
        }
        if (spec.has("preemptionPolicy")) {
            requiredOneOf(spec.at("preemptionPolicy"), PREEMPTION_POLICIES);
        }
        Resources.checkOverhead(spec.at("overhead"));
        OperatingSystem.check(spec);
        checkTokens(spec);
        spec.each("containers").forEach(Containers::checkImageSpaces);
        spec.each("initContainers").forEach(Containers::checkImageSpaces);
    }

    private static void subdomain(Spot name) {
        if (!name.text().isEmpty()) {
            Spelled.subdomain(name);
        }
    }

    private static void requiredOneOf(Spot choice, List<String> supported) {
        if (choice.text().isEmpty()) {
            choice.required();
        } else if (!supported.contains(choice.text())) {
            choice.notSupported(supported);
        }
    }

    private static void checkUsersOfHost(Spot spec) {
        if (SecurityContexts.usesUsersOfHost(spec)) {
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
        OperatingSystem.eachContainer(spec, container -> {
            if (container.size("volumeDevices") > 0) {
                container.at("volumeDevices").forbidden(NOT_OF_THE_HOST);
            }
        });
    }

    private static void checkTokens(Spot spec) {
        if (!spec.text("serviceAccountName").isEmpty()) {
            return;
        }
        for (Spot volume : spec.each("volumes")) {
            for (Spot source : volume.at("projected").each("sources")) {
                if (source.has("serviceAccountToken")) {
                    source.at("serviceAccountToken")
                            .forbidden("must not be specified when serviceAccountName is not set");
                }
            }
        }
    }
}
