package dev.mooring.sim.user;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Scope;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.StorageNames;
import dev.mooring.sim.Findings;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What must be so in the end of Pods, and of what nodes are to have and have for them (I7). */
final class PodExpectations {
    private final World world;
    private final Instant now;
    private final Findings findings;
    private final List<Pod> pods;
    private final List<ActualVolume> actual;
    private final List<DesiredVolume> desired = new ArrayList<>();

    PodExpectations(World world, Instant now, Findings findings, List<Pod> pods, List<ActualVolume> actual) {
        this.world = world;
        this.now = now;
        this.findings = findings;
        this.pods = pods;
        this.actual = actual;
        world.list(Scope.resource(StorageNames.DESIRED_VOLUMES)).forEach(each -> desired.add(DesiredVolume.of(each)));
    }

    void check() {
        pods.forEach(this::podWithoutNodeSaysWhy);
        pods.forEach(this::podOnNodeRunsOrSaysWhy);
        pods.forEach(this::runningPodHasItsVolumes);
        pods.forEach(this::deletedPodIsGone);
        desired.forEach(this::desiredIsOfAPod);
        actual.forEach(this::actualIsDesired);
    }

    private boolean isOnWorkingNode(Pod pod) {
        return works(pod.nodeName());
    }

    private boolean works(String node) {
        return !node.isEmpty()
                && world.get(Node.key(node))
                        .map(Node::of)
                        .filter(found -> !found.isKnownNotReady())
                        .isPresent();
    }

    /** The scheduler gives a Pod a node, or says why not. */
    private void podWithoutNodeSaysWhy(Pod pod) {
        if (pod.isScheduled() || pod.isFinished() || pod.isBeingDeleted()) {
            return;
        }
        String why = Conditions.find(pod.tree(), "PodScheduled")
                .map(condition -> condition.path("message").asText(""))
                .orElse("");
        require(
                !why.isEmpty() || waitsForVolume(pod),
                Expectations.LIVENESS,
                () -> pod.key() + " has no node and does not say why: " + pod.tree());
    }

    /** A node is chosen, and a volume is being made there; the claim says how that goes. */
    private boolean waitsForVolume(Pod pod) {
        return pod.claimKeys().stream()
                .flatMap(key -> world.get(key).stream())
                .anyMatch(claim -> StoredJson.mentions(claim, StorageNames.SELECTED_NODE));
    }

    /** On a node that works a Pod runs or has ended, or says what it waits for; mere "ContainerCreating" is no answer. */
    private void podOnNodeRunsOrSaysWhy(Pod pod) {
        boolean waits =
                isOnWorkingNode(pod) && !pod.isBeingDeleted() && !pod.phase().equals("Running") && !pod.isFinished();
        require(
                !waits || saysWhy(pod),
                Expectations.LIVENESS,
                () -> pod.key() + " does not run and does not say why: " + pod.tree());
    }

    private boolean saysWhy(Pod pod) {
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

    /** What runs has all its volumes, as far as the World knows (I3); one that has gone bad says so. */
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

    private static boolean isOf(PodOf reference, Pod pod) {
        return reference.uid().equals(pod.uid());
    }

    /** A Pod that was deleted goes when its time is up and nothing of it is left; a mount that cannot be undone says so. */
    private void deletedPodIsGone(Pod pod) {
        if (!Expectations.isLongDeleted(pod, now) || Expectations.others(pod)) {
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
                Expectations.LIVENESS,
                () -> pod.key() + " was deleted, its time is up, and it is still there: " + pod.tree());
    }

    /** Nothing is desired for a Pod that is not there. */
    private void desiredIsOfAPod(DesiredVolume each) {
        require(
                !works(each.node()) || pods.stream().anyMatch(pod -> isOf(each.pod(), pod)),
                Expectations.LIVENESS,
                () -> each.key() + " is desired for a Pod that is not there: " + each.tree());
    }

    /** Nothing is mounted that nobody wants; what cannot be unmounted says why. */
    private void actualIsDesired(ActualVolume each) {
        if (!works(each.node())) {
            return;
        }
        for (ActualVolume.Mount mount : each.mounts()) {
            boolean wanted = desired.stream()
                    .anyMatch(wish -> wish.pod().uid().equals(mount.pod().uid())
                            && wish.counterpart().filter(each.key()::equals).isPresent());
            require(
                    wanted || mount.json().has("lastError") || isHeldByContainers(mount.pod()),
                    Expectations.LIVENESS,
                    () -> each.key() + " is mounted for a Pod that does not want it: " + mount.json());
        }
        boolean forNobody = each.mounts().isEmpty()
                && desired.stream()
                        .noneMatch(wish ->
                                wish.counterpart().filter(each.key()::equals).isPresent());
        require(
                !forNobody || each.status().has("lastError") || each.isReconstructed(),
                Expectations.LIVENESS,
                () -> each.key() + " is there for nobody: " + each.tree());
    }

    /** Whoever takes a claim away by force from a Pod that runs does not take the volume from under its containers. */
    private boolean isHeldByContainers(PodOf pod) {
        return pods.stream()
                .anyMatch(each -> each.uid().equals(pod.uid()) && each.phase().equals("Running"));
    }

    private void require(boolean holds, String invariant, Supplier<String> otherwise) {
        if (!holds) {
            findings.report(invariant, otherwise.get());
        }
    }
}
