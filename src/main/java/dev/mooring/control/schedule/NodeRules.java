package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Pod;
import java.util.Map;
import java.util.Optional;

/** What a Pod and a node ask of each other apart from volumes. Reads the Pod once for all nodes. Immutable. */
final class NodeRules {
    private static final String CORDONED = "node.kubernetes.io/unschedulable";
    private static final String NOT_READY = "node.kubernetes.io/not-ready";

    private final Tolerations tolerations;
    private final JsonNode nodeSelector;
    private final NodeSelector affinity;
    private final Needs needs;

    NodeRules(Pod pod) {
        this.tolerations = Tolerations.of(pod);
        this.nodeSelector = pod.spec().path("nodeSelector");
        this.affinity = NodeSelector.required(pod.spec()
                .path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution"));
        this.needs = Needs.of(pod);
    }

    Needs needs() {
        return needs;
    }

    int dislikes(Node node) {
        return tolerations.dislikes(node);
    }

    /**
     * The first reason why not, in Kubernetes' order.
     *
     * @param there what the Pods on the node take up
     * @param coming what those take up that are about to be there
     */
    Optional<Reason> refusal(Node node, NodeUse there, NodeUse coming) {
        if (node.isCordoned() && !tolerations.tolerateNoSchedule(CORDONED)) {
            return Optional.of(Reason.of(Reason.UNSCHEDULABLE));
        }
        if (!tolerations.allow(node)) {
            return Optional.of(Reason.of(Reason.TAINTS));
        }
        if (node.isKnownNotReady() && !tolerations.tolerateNoSchedule(NOT_READY)) {
            return Optional.of(Reason.of(Reason.NOT_READY));
        }
        if (!isSelected(node) || !affinity.matches(node)) {
            return Optional.of(Reason.of(Reason.AFFINITY));
        }
        Optional<Reason> full = full(node, there, NodeUse.NONE);
        return full.isPresent() ? full : full(node, there, coming).map(reason -> reason.passing(true));
    }

    private boolean isSelected(Node node) {
        for (Map.Entry<String, JsonNode> each : nodeSelector.properties()) {
            JsonNode label = node.labels().path(each.getKey());
            if (!label.isTextual() || !label.textValue().equals(each.getValue().asText(""))) {
                return false;
            }
        }
        return true;
    }

    private Optional<Reason> full(Node node, NodeUse there, NodeUse coming) {
        if (there.clashesWith(needs) || coming.clashesWith(needs)) {
            return Optional.of(Reason.of(Reason.PORTS, Backlog.PODS));
        }
        JsonNode room = node.status().path("allocatable");
        if (isShort(room, "pods", 1, Needs.plus(there.pods(), coming.pods()))) {
            return Optional.of(Reason.of(Reason.PODS, Backlog.PODS));
        }
        if (isShort(room, "cpu", needs.cpuMillis(), Needs.plus(there.cpuMillis(), coming.cpuMillis()))) {
            return Optional.of(Reason.of(Reason.CPU, Backlog.PODS));
        }
        if (isShort(room, "memory", needs.memory(), Needs.plus(there.memory(), coming.memory()))) {
            return Optional.of(Reason.of(Reason.MEMORY, Backlog.PODS));
        }
        return Optional.empty();
    }

    /** A node that does not say how much it has has enough, and who asks for nothing fits everywhere. */
    private static boolean isShort(JsonNode room, String resource, long asked, long used) {
        return asked > 0 && room.has(resource) && Needs.plus(asked, used) > Needs.read(room, resource);
    }
}
