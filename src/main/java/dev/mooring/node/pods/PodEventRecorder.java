package dev.mooring.node.pods;

import dev.mooring.control.EventProposals;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.view.Pod;
import dev.mooring.node.volumemanager.WorkContext;

/**
 * Records container Events on Pods. Does not retry Events that cannot be written: the status has the same information.
 * Any thread.
 */
final class PodEventRecorder {
    private final String actor;
    private final WorkContext work;

    PodEventRecorder(String actor, WorkContext work) {
        this.actor = actor;
        this.work = work;
    }

    void normal(Pod pod, String reason, String message) {
        record(pod, KubeEvent.normal(KubeEvent.InvolvedObject.of(pod.tree()), reason, message, actor));
    }

    void warning(Pod pod, String reason, String message) {
        record(pod, KubeEvent.warning(KubeEvent.InvolvedObject.of(pod.tree()), reason, message, actor));
    }

    private void record(Pod pod, KubeEvent event) {
        EventProposals.recordEvent(
                        work.world().world(), event, pod.cause(), work.clock().instant())
                .ifPresent(work.world()::propose);
    }
}
