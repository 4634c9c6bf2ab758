package dev.mooring.node.pod;

import dev.mooring.control.Notices;
import dev.mooring.model.Notice;
import dev.mooring.model.view.Pod;
import dev.mooring.node.work.WorkParts;

/** Tells Pods, as Events, what happens to their containers. What cannot be told is not told again: the status has it. Any thread. */
final class PodTeller {
    private final String actor;
    private final WorkParts work;

    PodTeller(String actor, WorkParts work) {
        this.actor = actor;
        this.work = work;
    }

    void normal(Pod pod, String reason, String message) {
        tell(pod, Notice.normal(Notice.Involved.of(pod.tree()), reason, message, actor));
    }

    void warning(Pod pod, String reason, String message) {
        tell(pod, Notice.warning(Notice.Involved.of(pod.tree()), reason, message, actor));
    }

    private void tell(Pod pod, Notice notice) {
        Notices.tell(work.world().world(), notice, pod.cause(), work.clock().instant())
                .ifPresent(work.world()::propose);
    }
}
