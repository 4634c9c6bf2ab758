package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import java.util.Optional;
import java.util.Set;

/**
 * Why a Pod cannot run on a node. Immutable.
 *
 * @param message Kubernetes' wording, which follows the number of nodes
 * @param detail details of this node; "" for none
 * @param topics changes that could remove the reason, besides those of nodes, the Pod and its claims: see
 *     {@link UnschedulablePods}
 * @param temporary whether the reason is a decision in flight
 * @param blocker the object that makes the node unsuitable; empty if it is the node itself
 */
record UnschedulableReason(
        String message, String detail, Set<String> topics, boolean temporary, Optional<ObjectKey> blocker)
        implements NodeFilterResult {
    static final String UNSCHEDULABLE = "node(s) were unschedulable";
    static final String NOT_READY = "node(s) were not ready";
    static final String TAINTS = "node(s) had untolerated taint(s)";
    static final String AFFINITY = "node(s) didn't match Pod's node affinity/selector";
    static final String PORTS = "node(s) didn't have free ports for the requested pod ports";
    static final String CPU = "Insufficient cpu";
    static final String MEMORY = "Insufficient memory";
    static final String PODS = "Too many pods";
    static final String ONCE_POD =
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by"
                    + " another pod";
    static final String ONE_NODE =
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOnce access mode already in-use on another"
                    + " node";
    static final String VOLUME_MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
    static final String VOLUME_ELSEWHERE = "node(s) had volume node affinity conflict";
    static final String NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
    static final String NO_SPACE = "node(s) did not have enough free storage";

    UnschedulableReason {
        topics = Set.copyOf(topics);
    }

    static UnschedulableReason of(String message, String... topics) {
        return new UnschedulableReason(message, "", Set.of(topics), false, Optional.empty());
    }

    UnschedulableReason withDetail(String text) {
        return new UnschedulableReason(message, text, topics, temporary, blocker);
    }

    UnschedulableReason temporary(boolean isPassing) {
        return new UnschedulableReason(message, detail, topics, isPassing, blocker);
    }

    UnschedulableReason withBlocker(ObjectKey object) {
        return new UnschedulableReason(message, detail, topics, temporary, Optional.of(object));
    }
}
