package dev.mooring.node.pod;

import dev.mooring.control.Notices;
import dev.mooring.model.Notice;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What Pods are told, as Events, when they do not get on. Each is told once, and again when its Event has expired. Remembers since when volumes keep a Pod
 * waiting, since one that has run for days may miss one for a moment. For one thread.
 */
final class PodRemarks {
    /** As long as a kubelet waits before it says which volumes keep a Pod from starting. */
    static final Duration VOLUMES_PATIENCE = Duration.ofSeconds(123);

    private final String actor;
    private final Map<String, Instant> blocked = new HashMap<>();

    PodRemarks(String actor) {
        this.actor = actor;
    }

    /** Nobody will ask for this Pod any more. */
    void forget(String podUid) {
        blocked.remove(podUid);
    }

    Optional<Proposal> blockedVolumes(World world, PodLook look, PodPlan plan) {
        Pod pod = look.pod();
        if (look.volumes().isComplete() || pod.isBeingDeleted() || pod.isFinished()) {
            blocked.remove(pod.uid());
            return Optional.empty();
        }
        Instant due = blocked.computeIfAbsent(pod.uid(), uid -> look.now()).plus(VOLUMES_PATIENCE);
        if (look.now().isBefore(due)) {
            plan.lookAgain(due);
            return Optional.empty();
        }
        return once(
                world,
                look,
                "FailedMount",
                "Unable to attach or mount volumes: unmounted volumes=["
                        + String.join(" ", look.volumes().missing().keySet()) + "]: "
                        + look.volumes().words());
    }

    List<Proposal> crashLoops(World world, PodLook look, PodSight sight) {
        List<Proposal> proposals = new ArrayList<>();
        for (ContainerSight each : sight.containers()) {
            if (each.waiting()
                    .filter(why -> why.reason().equals("CrashLoopBackOff"))
                    .isPresent()) {
                String message = "Back-off restarting failed container " + each.name() + " in pod "
                        + CrashBackoff.name(look.pod());
                once(world, look, "BackOff", message).ifPresent(proposals::add);
            }
        }
        return proposals;
    }

    Optional<Proposal> withoutEngine(World world, PodLook look, String why) {
        return once(world, look, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + why);
    }

    private Optional<Proposal> once(World world, PodLook look, String reason, String message) {
        Notice notice = Notice.warning(Notice.Involved.of(look.pod().tree()), reason, message, actor);
        return Notices.tellOnce(world, notice, look.pod().cause(), look.now());
    }
}
