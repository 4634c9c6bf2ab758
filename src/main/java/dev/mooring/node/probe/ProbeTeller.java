package dev.mooring.node.probe;

import dev.mooring.control.Notices;
import dev.mooring.model.Notice;
import dev.mooring.model.view.Pod;
import dev.mooring.node.work.WorkParts;
import java.time.Instant;

/** Tells a Pod, as Events in the kubelet's words, what probes of its containers found; so much of it. Any thread. */
final class ProbeTeller {
    private final String actor;
    private final WorkParts work;
    private final Allowance allowance = new Allowance();

    ProbeTeller(String actor, WorkParts work) {
        this.actor = actor;
        this.work = work;
    }

    void tell(Pod pod, ProbeKind kind, Answer answer) {
        switch (answer.kind()) {
            case SUCCESS -> {}
            case WARNING -> tell(pod, "ProbeWarning", kind.word() + " probe warning: " + answer.text());
            case FAILURE -> tell(pod, "Unhealthy", kind.word() + " probe failed: " + answer.text());
            case UNKNOWN -> {
                if (!answer.text().isEmpty()) {
                    tell(
                            pod,
                            "Unhealthy",
                            kind.word() + " probe errored and resulted in unknown state: " + answer.text());
                }
            }
        }
    }

    private void tell(Pod pod, String reason, String message) {
        Instant now = work.clock().instant();
        if (!allowance.take(now)) {
            return;
        }
        Notice.Involved involved = new Notice.Involved("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), "");
        Notices.tell(work.world().world(), Notice.warning(involved, reason, message, actor), pod.cause(), now)
                .ifPresent(work.world()::propose);
    }
}
