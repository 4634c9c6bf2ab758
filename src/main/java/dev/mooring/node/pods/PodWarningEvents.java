package dev.mooring.node.pods;

import dev.mooring.control.EventProposals;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.view.Pod;
import dev.mooring.node.container.ObservedContainer;
import dev.mooring.node.container.ObservedPod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Records warning Events for Pods that make no progress. Records each once, and again when its Event has expired. Pure.
 */
final class PodWarningEvents {
    /** How long the kubelet waits before it reports unmounted volumes. */
    static final Duration VOLUME_WAIT_LIMIT = Duration.ofSeconds(123);

    private final String actor;

    PodWarningEvents(String actor) {
        this.actor = actor;
    }

    static boolean waitsForVolumes(PodPlannerInput input) {
        Pod pod = input.pod();
        return !input.volumes().isComplete() && !pod.isBeingDeleted() && !pod.isFinished();
    }

    /**
     * Warns of volumes that keep a Pod waiting.
     *
     * @param since when the wait began: a long-running Pod may lack a volume for a moment
     */
    Optional<Proposal> blockedVolumes(World world, PodPlannerInput input, Instant since, PodPlan plan) {
        Instant due = since.plus(VOLUME_WAIT_LIMIT);
        if (input.now().isBefore(due)) {
            plan.requeueAt(due);
            return Optional.empty();
        }
        return recordOnce(
                world,
                input,
                EventReasons.FAILED_MOUNT,
                "Unable to attach or mount volumes: unmounted volumes=["
                        + String.join(" ", input.volumes().missing().keySet()) + "]: "
                        + input.volumes().message());
    }

    List<Proposal> crashLoops(World world, PodPlannerInput input, ObservedPod observed) {
        List<Proposal> proposals = new ArrayList<>();
        for (ObservedContainer each : observed.containers()) {
            if (each.waiting()
                    .filter(why -> why.reason().equals("CrashLoopBackOff"))
                    .isPresent()) {
                String message = "Back-off restarting failed container " + each.name() + " in pod "
                        + CrashBackoff.name(input.pod());
                recordOnce(world, input, EventReasons.BACK_OFF, message).ifPresent(proposals::add);
            }
        }
        return proposals;
    }

    Optional<Proposal> withoutEngine(World world, PodPlannerInput input, String why) {
        return recordOnce(world, input, EventReasons.FAILED_CREATE_POD_SANDBOX, "Failed to create pod sandbox: " + why);
    }

    private Optional<Proposal> recordOnce(World world, PodPlannerInput input, String reason, String message) {
        KubeEvent event =
                KubeEvent.warning(KubeEvent.InvolvedObject.of(input.pod().tree()), reason, message, actor);
        return EventProposals.recordEventOnce(world, event, input.pod().cause(), input.now());
    }
}
