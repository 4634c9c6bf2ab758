package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.Pod;
import java.util.Map;
import java.util.Optional;

/** Checks whether a node suits a Pod apart from volumes. Parses the Pod once for all nodes. Immutable. */
final class NodeFilter {
    private static final String CORDONED = "node.kubernetes.io/unschedulable";
    private static final String NOT_READY = "node.kubernetes.io/not-ready";

    private final Tolerations tolerations;
    private final JsonNode nodeSelector;
    private final NodeSelector affinity;
    private final PodResourceRequest needs;

    NodeFilter(Pod pod) {
        this.tolerations = Tolerations.of(pod);
        this.nodeSelector = pod.spec().path("nodeSelector");
        this.affinity = NodeSelector.required(pod.spec()
                .path("affinity")
                .path("nodeAffinity")
                .path("requiredDuringSchedulingIgnoredDuringExecution"));
        this.needs = PodResourceRequest.of(pod);
    }

    /**
     * Returns whether fields changed that affect which Pods the node accepts. Other status fields change often and are
     * not relevant.
     */
    static boolean isAffected(Node before, Node after) {
        return !before.spec().equals(after.spec())
                || !before.labels().equals(after.labels())
                || !before.status().path("allocatable").equals(after.status().path("allocatable"))
                || before.isKnownNotReady() != after.isKnownNotReady()
                || before.isBeingDeleted() != after.isBeingDeleted();
    }

    PodResourceRequest needs() {
        return needs;
    }

    int preferNoScheduleCount(Node node) {
        return tolerations.preferNoScheduleCount(node);
    }

    /**
     * Returns the first reason why the node does not suit the Pod, in Kubernetes' order.
     *
     * @param allocated resources of the Pods on the node
     * @param assumed resources of the Pods that are about to be bound to it
     */
    Optional<UnschedulableReason> unschedulableReason(Node node, NodeAllocation allocated, NodeAllocation assumed) {
        if (node.isCordoned() && !tolerations.tolerateNoSchedule(CORDONED)) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.UNSCHEDULABLE));
        }
        if (!tolerations.tolerates(node)) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.TAINTS));
        }
        if (node.isKnownNotReady() && !tolerations.tolerateNoSchedule(NOT_READY)) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.NOT_READY));
        }
        if (!isSelected(node) || !affinity.matches(node)) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.AFFINITY));
        }
        Optional<UnschedulableReason> full = insufficientResources(node, allocated, NodeAllocation.NONE);
        return full.isPresent()
                ? full
                : insufficientResources(node, allocated, assumed).map(reason -> reason.temporary(true));
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

    private Optional<UnschedulableReason> insufficientResources(
            Node node, NodeAllocation allocated, NodeAllocation assumed) {
        if (allocated.conflictsWith(needs) || assumed.conflictsWith(needs)) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.PORTS, UnschedulablePods.PODS));
        }
        JsonNode allocatable = node.status().path("allocatable");
        if (exceeds(allocatable, "pods", 1, PodResourceRequest.saturatedSum(allocated.pods(), assumed.pods()))) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.PODS, UnschedulablePods.PODS));
        }
        if (exceeds(
                allocatable,
                "cpu",
                needs.cpuMillis(),
                PodResourceRequest.saturatedSum(allocated.cpuMillis(), assumed.cpuMillis()))) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.CPU, UnschedulablePods.PODS));
        }
        if (exceeds(
                allocatable,
                "memory",
                needs.memory(),
                PodResourceRequest.saturatedSum(allocated.memory(), assumed.memory()))) {
            return Optional.of(UnschedulableReason.of(UnschedulableReason.MEMORY, UnschedulablePods.PODS));
        }
        return Optional.empty();
    }

    /**
     * Returns whether a request exceeds the allocatable amount. A node without that amount is unlimited, and an empty
     * request always fits.
     */
    private static boolean exceeds(JsonNode allocatable, String resource, long requested, long used) {
        return requested > 0
                && allocatable.has(resource)
                && PodResourceRequest.saturatedSum(requested, used)
                        > PodResourceRequest.parseAmount(allocatable, resource);
    }
}
