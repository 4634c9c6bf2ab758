package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import java.util.List;
import java.util.Optional;

/**
 * Why a Pod has no node, from the checks that the scheduler makes. Immutable.
 *
 * @param node the node that the scheduler has chosen, while claims still wait for their volumes; empty for none
 * @param message the scheduler's message; "" if no check fails
 * @param nodes the nodes that do not suit the Pod, by name
 * @param claims the claims that have to be bound first, also those that do not exist
 */
public record SchedulingReport(
        Optional<String> node, String message, List<UnsuitableNode> nodes, List<ObjectKey> claims) {
    /**
     * A node that does not suit the Pod.
     *
     * @param reason Kubernetes' wording without the number of nodes, such as {@code node(s) were unschedulable}
     * @param detail more about this node; "" for none
     * @param blocker the object that makes the node unsuitable; empty if it is the node itself
     */
    public record UnsuitableNode(String name, String reason, String detail, Optional<ObjectKey> blocker) {
        /** Returns whether the Pod does not tolerate a taint of the node. */
        public boolean isTainted() {
            return reason.equals(UnschedulableReason.TAINTS);
        }
    }

    public SchedulingReport {
        nodes = List.copyOf(nodes);
        claims = List.copyOf(claims);
    }

    static SchedulingReport of(String message) {
        return new SchedulingReport(Optional.empty(), message, List.of(), List.of());
    }
}
