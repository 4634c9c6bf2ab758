package dev.mooring.control.schedule;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import java.util.List;

/**
 * What is kept of a Pod. Immutable.
 *
 * @param node "" unless it is {@link Standing#ON_NODE}
 */
record PodEntry(ObjectKey key, long revision, Standing standing, String node, List<ObjectKey> claims, Needs needs) {
    /** How far a Pod has come. It only ever goes down this list. */
    enum Standing {
        /** It has no node, and may get one from us or from another scheduler. */
        WAITING,
        ON_NODE,
        /** It takes up nothing and will not any more. */
        OVER
    }

    static PodEntry of(StoredObject stored) {
        Pod pod = Pod.of(stored);
        return new PodEntry(
                pod.key(), pod.revision(), standing(pod), pod.nodeName(), List.copyOf(pod.claimKeys()), Needs.of(pod));
    }

    private static Standing standing(Pod pod) {
        if (pod.isFinished()) {
            return Standing.OVER;
        }
        if (pod.isScheduled()) {
            return Standing.ON_NODE;
        }
        return pod.isBeingDeleted() ? Standing.OVER : Standing.WAITING;
    }

    boolean is(Standing asked) {
        return standing == asked;
    }
}
