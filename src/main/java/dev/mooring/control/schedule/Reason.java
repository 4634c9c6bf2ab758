package dev.mooring.control.schedule;

import java.util.Set;

/**
 * Why a Pod cannot be on a node. Immutable.
 *
 * @param words Kubernetes' own, to follow the number of nodes they are true of
 * @param detail what else there is to say about this node; "" for nothing
 * @param topics changes of what could make it untrue, besides the nodes, the Pod and its claims: see {@link Backlog}
 * @param passing whether it is only true because of something that is being decided, and so may not be for long
 */
record Reason(String words, String detail, Set<String> topics, boolean passing) implements NodeOutcome {
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

    Reason {
        topics = Set.copyOf(topics);
    }

    static Reason of(String words, String... topics) {
        return new Reason(words, "", Set.of(topics), false);
    }

    Reason detailed(String text) {
        return new Reason(words, text, topics, passing);
    }

    Reason passing(boolean isPassing) {
        return new Reason(words, detail, topics, isPassing);
    }
}
