package dev.mooring.control.schedule;

import dev.mooring.model.view.Pod;

/** State of a Pod; only moves down this list. */
enum SchedulingState {
    /** Has no node, and may get one from this or another scheduler. */
    WAITING,
    SCHEDULED,
    /** Has finished and uses no resources any more. */
    FINISHED;

    static SchedulingState of(Pod pod) {
        if (pod.isFinished()) {
            return FINISHED;
        }
        if (pod.isScheduled()) {
            return SCHEDULED;
        }
        return pod.isBeingDeleted() ? FINISHED : WAITING;
    }

    boolean isOf(Pod pod) {
        return of(pod) == this;
    }
}
