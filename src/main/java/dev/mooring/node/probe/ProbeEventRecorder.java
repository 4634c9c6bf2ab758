package dev.mooring.node.probe;

import dev.mooring.control.EventProposals;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.view.Pod;
import dev.mooring.node.volumemanager.WorkContext;
import java.time.Duration;
import java.time.Instant;

/** Records probe results as Pod Events with the kubelet's messages, rate-limited. Any thread. */
final class ProbeEventRecorder {
    private final String actor;
    private final WorkContext work;
    private final EventRateLimit allowance = new EventRateLimit();

    ProbeEventRecorder(String actor, WorkContext work) {
        this.actor = actor;
        this.work = work;
    }

    void record(Pod pod, ProbeKind kind, Prober.ProbeResult result) {
        switch (result.kind()) {
            case SUCCESS -> {}
            case WARNING ->
                record(pod, EventReasons.PROBE_WARNING, kind.label() + " probe warning: " + result.message());
            case FAILURE -> record(pod, EventReasons.UNHEALTHY, kind.label() + " probe failed: " + result.message());
            case UNKNOWN -> {
                if (!result.message().isEmpty()) {
                    record(
                            pod,
                            EventReasons.UNHEALTHY,
                            kind.label() + " probe errored and resulted in unknown state: " + result.message());
                }
            }
        }
    }

    private void record(Pod pod, String reason, String message) {
        Instant now = work.clock().instant();
        if (!allowance.tryAcquire(now)) {
            return;
        }
        KubeEvent.InvolvedObject involved =
                new KubeEvent.InvolvedObject("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), "");
        EventProposals.recordEvent(
                        work.world().world(), KubeEvent.warning(involved, reason, message, actor), pod.cause(), now)
                .ifPresent(work.world()::propose);
    }

    /**
     * Limits the Events of one Pod, so that a probe that fails each second for days does not fill the event log. Uses
     * the limits of Kubernetes' event source and object rate limit. Thread-safe.
     */
    private static final class EventRateLimit {
        private static final int BURST = 25;
        private static final Duration REFILL = Duration.ofMinutes(5);

        private int left = BURST;
        private Instant refilled = Instant.MIN;

        synchronized boolean tryAcquire(Instant now) {
            if (left == BURST) {
                refilled = now;
            }
            while (left < BURST && !refilled.plus(REFILL).isAfter(now)) {
                refilled = refilled.plus(REFILL);
                left++;
            }
            if (left == 0) {
                return false;
            }
            left--;
            return true;
        }
    }
}
