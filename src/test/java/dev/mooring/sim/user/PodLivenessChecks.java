package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Conditions;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Checks convergence of Pods and of the volumes on nodes (I7). */
final class PodLivenessChecks {
    private final World world;
    private final Instant now;
    private final InvariantViolations violations;
    private final List<Pod> pods;
    private final List<ActualVolume> actual;
    private final List<DesiredVolume> desired = new ArrayList<>();

    PodLivenessChecks(
            World world, Instant now, InvariantViolations violations, List<Pod> pods, List<ActualVolume> actual) {
        this.world = world;
        this.now = now;
        this.violations = violations;
        this.pods = pods;
        this.actual = actual;
        world.list(Scope.resource(StorageNames.DESIRED_VOLUMES)).forEach(each -> desired.add(DesiredVolume.of(each)));
    }

    void check() {
        pods.forEach(this::unscheduledPodStatesReason);
        pods.forEach(this::scheduledPodRunsOrStatesReason);
        pods.forEach(this::runningPodHasItsVolumes);
        pods.forEach(this::deletedPodIsGone);
        desired.forEach(this::desiredVolumeBelongsToPod);
        actual.forEach(this::actualVolumeIsDesired);
    }

    private boolean isOnWorkingNode(Pod pod) {
        return isReady(pod.nodeName());
    }

    private boolean isReady(String node) {
        return !node.isEmpty()
                && world.get(Node.key(node))
                        .map(Node::of)
                        .filter(found -> !found.isKnownNotReady())
                        .isPresent();
    }

    /** The scheduler assigns a node to the Pod or states a reason. */
    private void unscheduledPodStatesReason(Pod pod) {
        if (pod.isScheduled() || pod.isFinished() || pod.isBeingDeleted()) {
            return;
        }
        String reason = Conditions.find(pod.tree(), "PodScheduled")
                .map(condition -> condition.path("message").asText(""))
                .orElse("");
        require(
                !reason.isEmpty() || waitsForVolume(pod),
                LivenessChecks.LIVENESS,
                () -> pod.key() + " has no node and states no reason: " + pod.tree());
    }

    /** Returns whether a volume is being provisioned on the selected node; the claim then shows the progress. */
    private boolean waitsForVolume(Pod pod) {
        return pod.claimKeys().stream()
                .flatMap(key -> world.get(key).stream())
                .anyMatch(claim -> claim.containsText(StorageNames.SELECTED_NODE));
    }

    /** On a ready node a Pod runs, has finished or states a reason; "ContainerCreating" alone is not one. */
    private void scheduledPodRunsOrStatesReason(Pod pod) {
        boolean pending =
                isOnWorkingNode(pod) && !pod.isBeingDeleted() && !pod.phase().equals("Running") && !pod.isFinished();
        require(
                !pending || statesReason(pod),
                LivenessChecks.LIVENESS,
                () -> pod.key() + " does not run and states no reason: " + pod.tree());
    }

    private boolean statesReason(Pod pod) {
        for (String list : List.of("containerStatuses", "initContainerStatuses")) {
            for (JsonNode each : pod.status().path(list)) {
                JsonNode waiting = each.path("state").path("waiting");
                if (!waiting.path("message").asText("").isEmpty()
                        || each.path("state").has("running")) {
                    return true;
                }
            }
        }
        return !pod.status().path("message").asText("").isEmpty()
                || desired.stream().anyMatch(each -> isOf(each.pod(), pod) && !each.isResolved())
                || actual.stream()
                        .anyMatch(each -> each.mountFor(pod.uid())
                                .filter(mount -> mount.json().has("lastError"))
                                .isPresent());
    }

    /** A running Pod has all its volumes, according to the World (I3); a failed volume states its error. */
    private void runningPodHasItsVolumes(Pod pod) {
        if (!isOnWorkingNode(pod) || !pod.phase().equals("Running") || pod.isBeingDeleted()) {
            return;
        }
        for (DesiredVolume each : desired) {
            if (isOf(each.pod(), pod)) {
                Optional<ActualVolume.Mount> mount = each.counterpart()
                        .flatMap(world::get)
                        .map(ActualVolume::of)
                        .flatMap(found -> found.mountFor(pod.uid()));
                boolean has = mount.filter(
                                found -> found.isMounted() || found.json().has("lastError"))
                        .isPresent();
                require(
                        has || !each.isResolved(),
                        "I3",
                        () -> pod.key() + " runs, but " + each.key() + " is not mounted: " + mount);
            }
        }
    }

    private static boolean isOf(PodReference reference, Pod pod) {
        return reference.uid().equals(pod.uid());
    }

    /**
     * A deleted Pod is removed after its grace period when nothing of it is left; a mount that cannot be removed states
     * its error.
     */
    private void deletedPodIsGone(Pod pod) {
        if (!LivenessChecks.isLongDeleted(pod, now) || LivenessChecks.hasOtherFinalizers(pod)) {
            return;
        }
        boolean away = world.get(Node.key(pod.nodeName().isEmpty() ? "none" : pod.nodeName()))
                        .isPresent()
                && !isOnWorkingNode(pod);
        boolean stuck = actual.stream()
                .anyMatch(each -> each.mountFor(pod.uid())
                        .filter(mount -> mount.json().has("lastError"))
                        .isPresent());
        require(
                away || stuck,
                LivenessChecks.LIVENESS,
                () -> pod.key() + " was deleted and its grace period has expired, but it still exists: " + pod.tree());
    }

    /** No volume is desired for a Pod that does not exist. */
    private void desiredVolumeBelongsToPod(DesiredVolume each) {
        require(
                !isReady(each.node()) || pods.stream().anyMatch(pod -> isOf(each.pod(), pod)),
                LivenessChecks.LIVENESS,
                () -> each.key() + " is desired for a Pod that does not exist: " + each.tree());
    }

    /** Nothing is mounted that is not desired; a mount that cannot be removed states its error. */
    private void actualVolumeIsDesired(ActualVolume each) {
        if (!isReady(each.node())) {
            return;
        }
        for (ActualVolume.Mount mount : each.mounts()) {
            boolean wanted = desired.stream()
                    .anyMatch(desiredVolume ->
                            desiredVolume.pod().uid().equals(mount.pod().uid())
                                    && desiredVolume
                                            .counterpart()
                                            .filter(each.key()::equals)
                                            .isPresent());
            require(
                    wanted || mount.json().has("lastError") || isHeldByContainers(mount.pod()) || isUnresolved(mount),
                    LivenessChecks.LIVENESS,
                    () -> each.key() + " is mounted for a Pod that does not need it: " + mount.json());
        }
        boolean unneeded = each.mounts().isEmpty()
                && desired.stream()
                        .noneMatch(desiredVolume -> desiredVolume
                                .counterpart()
                                .filter(each.key()::equals)
                                .isPresent());
        require(
                !unneeded || each.status().has("lastError") || each.isReconstructed(),
                LivenessChecks.LIVENESS,
                () -> each.key() + " is not needed by any Pod: " + each.tree());
    }

    /**
     * Returns whether containers hold the mount: a forced removal of the claim does not unmount a running Pod's volume.
     */
    private boolean isHeldByContainers(PodReference pod) {
        return pods.stream()
                .anyMatch(each -> each.uid().equals(pod.uid()) && each.phase().equals("Running"));
    }

    /**
     * Returns whether the Pod's volume cannot be resolved at present, for example because its claim is Lost. After a
     * user has deleted the DesiredVolume, only the mount tells which volume the Pod had; the reconciler keeps it until
     * the Pod terminates.
     */
    private boolean isUnresolved(ActualVolume.Mount mount) {
        return pods.stream().anyMatch(pod -> isOf(mount.pod(), pod) && !pod.isFinished() && !pod.isBeingDeleted())
                && desired.stream()
                        .anyMatch(desiredVolume ->
                                desiredVolume.pod().uid().equals(mount.pod().uid())
                                        && desiredVolume
                                                .volumeName()
                                                .equals(mount.json()
                                                        .path("volumeName")
                                                        .asText())
                                        && desiredVolume.volume().isEmpty());
    }

    private void require(boolean holds, String invariant, Supplier<String> message) {
        if (!holds) {
            violations.report(invariant, message.get());
        }
    }
}
