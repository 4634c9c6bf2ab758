package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Fields;

/** What a Pod is when its writer left it out. Doing it twice changes nothing. Stateless. */
final class PodDefaults {
    private static final int GRACE_PERIOD = 30;

    private PodDefaults() {}

    static void apply(ObjectNode pod) {
        ObjectNode spec = Fields.object(pod, "spec");
        Trees.withEach(spec, "volumes", VolumeDefaults::apply);
        Trees.withEach(spec, "initContainers", ContainerDefaults::apply);
        Trees.withEach(spec, "containers", ContainerDefaults::apply);
        Trees.withEach(spec, "ephemeralContainers", ContainerDefaults::applyToEphemeral);
        Fields.defaultText(spec, "restartPolicy", "Always");
        Trees.number(spec, "terminationGracePeriodSeconds", GRACE_PERIOD);
        Fields.defaultText(spec, "dnsPolicy", "ClusterFirst");
        serviceAccount(spec);
        if (Trees.lacks(spec, "securityContext")) {
            spec.putObject("securityContext");
        }
        Fields.defaultText(spec, "schedulerName", "default-scheduler");
        if (Trees.lacks(spec, "enableServiceLinks")) {
            spec.put("enableServiceLinks", true);
        }
        if (Fields.isTrue(spec, "hostNetwork")) {
            Trees.withEach(spec, "containers", PodDefaults::portsOfHost);
            Trees.withEach(spec, "initContainers", PodDefaults::portsOfHost);
        }
        Trees.with(spec, "resources", resources -> requestsOfPod(resources, spec));
    }

    /** The old name of the field still has readers, and writers. */
    private static void serviceAccount(ObjectNode spec) {
        String name = Fields.text(spec, "serviceAccountName");
        if (name.isEmpty()) {
            name = Fields.text(spec, "serviceAccount");
        }
        if (name.isEmpty()) {
            name = "default";
        }
        spec.put("serviceAccountName", name);
        spec.put("serviceAccount", name);
    }

    private static void portsOfHost(ObjectNode container) {
        Trees.withEach(container, "ports", port -> {
            JsonNode inside = Fields.get(port, "containerPort");
            if (inside.isNumber()) {
                Trees.nonZero(port, "hostPort", inside.longValue());
            }
        });
    }

    /** Only of what no container asks for: else it is their sum, which whoever places the Pod works out. */
    private static void requestsOfPod(ObjectNode resources, ObjectNode spec) {
        JsonNode limits = Fields.get(resources, "limits");
        for (var limit : limits.properties()) {
            String name = limit.getKey();
            if (!isRequested(spec, "containers", name) && !isRequested(spec, "initContainers", name)) {
                ObjectNode requests = Fields.object(resources, "requests");
                if (Trees.lacks(requests, name)) {
                    requests.set(name, limit.getValue());
                }
            }
        }
    }

    private static boolean isRequested(ObjectNode spec, String list, String resource) {
        for (JsonNode container : Fields.get(spec, list)) {
            if (Fields.has(Fields.get(container, "resources", "requests"), resource)) {
                return true;
            }
        }
        return false;
    }
}
