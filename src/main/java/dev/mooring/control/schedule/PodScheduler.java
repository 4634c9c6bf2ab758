package dev.mooring.control.schedule;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The scheduler: binds Pods to nodes on which their volumes are or can be provisioned. {@link Placement} has the steps;
 * {@link NodeFilter}, {@link VolumeRestrictions} and {@link VolumeBinding} check a node; {@link FeasibleNode.NodeScore}
 * ranks nodes. Decisions are deterministic for a World.
 *
 * <p>Its keys are Pods: those without a node that name no other scheduler, and those created with a node that have
 * claims waiting for the first consumer. A Pod without a feasible node gets a condition with the reason, is put into
 * {@link UnschedulablePods}, and is reconciled again when a change may help.
 *
 * <p>Keeps the sums of the Pods' resources, and the decisions that are {@link InFlight}. The latter only avoid
 * conflicts; the preconditions of the proposals ensure that exclusive resources are given out once.
 */
public final class PodScheduler implements Controller {
    static final String NODES = "nodes";

    private static final String PODS = "pods";

    /** Delay before waiting Pods update their message after a change that does not help them. */
    private static final Duration STATUS_REFRESH_DELAY = Duration.ofSeconds(1);

    private final SchedulerCache cache = SchedulerCache.empty();

    @Override
    public String name() {
        return Placement.ACTOR;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(NODES),
                Scope.resource(PODS),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.CLASSES));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        boolean landed = cache.inFlight().forget(change.object());
        switch (change.key().resource()) {
            case PODS -> onPodChange(change, before, world, queue);
            case NODES -> onNodeChange(change, before, queue);
            case StorageNames.CLAIMS -> onClaimChange(change, before, world, queue);
            case StorageNames.VOLUMES -> onVolumeChange(change, queue);
            default ->
                cache.unschedulablePods()
                        .enqueue(UnschedulablePods.storageClass(change.key().name()), queue);
        }
        if (landed && cache.inFlight().isEmpty()) {
            cache.waitingForInFlight().forEach(queue::enqueue);
            cache.waitingForInFlight().clear();
        }
    }

    private void onPodChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ObjectKey key = change.key();
        Pod pod = Pod.of(change.object());
        SchedulingState state = change.isRemoval() ? SchedulingState.FINISHED : SchedulingState.of(pod);
        Optional<Pod> former = before.map(Pod::of);
        Optional<Pod> placed = former.filter(SchedulingState.SCHEDULED::isOf);
        placed.ifPresent(each -> cache.allocated().remove(each.nodeName(), PodResourceRequest.of(each)));
        if (state == SchedulingState.SCHEDULED) {
            cache.allocated().add(pod.nodeName(), PodResourceRequest.of(pod));
        }
        if (state == SchedulingState.FINISHED) {
            cache.unschedulablePods().remove(key);
            cache.inFlight().forgetPod(key);
            placed.ifPresent(each -> onPodLeft(each, world, queue));
            return;
        }
        boolean arrived = state == SchedulingState.SCHEDULED
                && former.filter(SchedulingState.WAITING::isOf).isPresent();
        if (arrived) {
            onPodScheduled(pod, world, queue);
        }
        if (state == SchedulingState.WAITING || hasUnboundClaims(pod, world)) {
            queue.enqueue(key);
        } else {
            cache.unschedulablePods().remove(key);
        }
    }

    private static boolean hasUnboundClaims(Pod pod, World world) {
        return pod.claimKeys().stream()
                .anyMatch(claim -> world.get(claim)
                        .filter(found -> found.containsText(StorageNames.BIND_COMPLETED))
                        .isEmpty());
    }

    /** Enqueues the Pods that may use the resources and claims that a Pod released. */
    private void onPodLeft(Pod pod, World world, Enqueuer queue) {
        cache.unschedulablePods().enqueue(UnschedulablePods.PODS, queue);
        for (ObjectKey claim : pod.claimKeys()) {
            users(world, claim, SchedulingState.WAITING).forEach(user -> queue.enqueue(user.key()));
        }
    }

    /** Enqueues the other Pods of a claim when its first Pod is scheduled. */
    private static void onPodScheduled(Pod pod, World world, Enqueuer queue) {
        for (ObjectKey claim : pod.claimKeys()) {
            // The World may be newer than the change: ignore the Pods that were scheduled afterwards.
            boolean first =
                    users(world, claim, SchedulingState.SCHEDULED).noneMatch(user -> user.revision() < pod.revision());
            users(world, claim, SchedulingState.WAITING).forEach(user -> {
                if (first) {
                    queue.enqueue(user.key());
                } else {
                    queue.enqueueWithin(user.key(), STATUS_REFRESH_DELAY); // it may be the claim they name
                }
            });
        }
    }

    /** Returns the Pods of a claim that are in a state. */
    private static Stream<Pod> users(World world, ObjectKey claim, SchedulingState state) {
        return world.find(Indexes.PODS_BY_CLAIM, claim).stream().map(Pod::of).filter(state::isOf);
    }

    private void onNodeChange(Change change, Optional<StoredObject> before, Enqueuer queue) {
        if (!cache.unschedulablePods().hasWaiting(UnschedulablePods.NODES)) {
            return;
        }
        if (change.isRemoval() || before.isEmpty()) {
            cache.unschedulablePods().enqueue(UnschedulablePods.NODES, queue);
            return;
        }
        Node former = Node.of(before.get());
        Node current = Node.of(change.object());
        if (NodeFilter.isAffected(former, current)) {
            cache.unschedulablePods().enqueue(UnschedulablePods.NODES, queue);
        } else if (FreeStorage.isChanged(former, current)) {
            cache.unschedulablePods().enqueue(UnschedulablePods.STORAGE, queue);
        }
    }

    private void onClaimChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ObjectKey key = change.key();
        boolean used = !world.index(Indexes.PODS_BY_CLAIM).keys(key).isEmpty();
        boolean selected = change.object().containsText(StorageNames.SELECTED_NODE)
                || before.filter(each -> each.containsText(StorageNames.SELECTED_NODE))
                        .isPresent();
        if (!used && !selected) {
            return;
        }
        Optional<Claim> former = before.map(Claim::of);
        Optional<Claim> current = change.isRemoval()
                ? Optional.empty()
                : Optional.of(change.object()).map(Claim::of);
        cache.provisioningFailures().update(key, former, current);
        if (FreeStorage.isReleased(former, current)) {
            cache.unschedulablePods().enqueue(UnschedulablePods.STORAGE, queue);
        }
        users(world, key, SchedulingState.WAITING).forEach(user -> queue.enqueue(user.key()));
        boolean wasBound = former.filter(PodClaims::isBound).isPresent();
        boolean isBound = current.filter(PodClaims::isBound).isPresent();
        if (!wasBound || !isBound) {
            users(world, key, SchedulingState.SCHEDULED).forEach(user -> queue.enqueue(user.key()));
        }
    }

    private void onVolumeChange(Change change, Enqueuer queue) {
        UnschedulablePods backlog = cache.unschedulablePods();
        if (backlog.size() == 0) {
            return;
        }
        backlog.enqueue(UnschedulablePods.volume(change.key().name()), queue);
        Volume volume = Volume.of(change.object());
        String topic = UnschedulablePods.storageClass(volume.className());
        if (!change.isRemoval() && volume.claimRef().isEmpty()) {
            backlog.enqueue(topic, queue);
        } else {
            backlog.enqueueWithin(
                    topic,
                    STATUS_REFRESH_DELAY,
                    queue); // one volume less: does not make a node feasible, but may change the message
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        cache.inFlight().forgetPod(key);
        cache.waitingForInFlight().remove(key);
        Optional<Pod> pod = world.get(key).map(Pod::of);
        if (pod.filter(PodScheduler::needsNode).isPresent()) {
            return new Placement(cache, world, pod.get(), now).schedule();
        }
        if (pod.filter(PodScheduler::needsClaimBinding).isPresent()) {
            return new Placement(cache, world, pod.get(), now).bindClaims();
        }
        cache.unschedulablePods().remove(key);
        return Decision.none();
    }

    /** Reports why a Pod of a World has no node. Reads all Pods, because no state of a scheduler is available. */
    public static SchedulingReport report(World world, Pod pod, Instant now) {
        return exclusionReason(pod)
                .map(SchedulingReport::of)
                .orElseGet(
                        () -> new Placement(SchedulerCache.with(NodeAllocations.of(world)), world, pod, now).report());
    }

    private static boolean needsNode(Pod pod) {
        return !pod.isScheduled()
                && !pod.isFinished()
                && !pod.isBeingDeleted()
                && exclusionReason(pod).isEmpty();
    }

    /** Returns why this scheduler ignores a Pod without a node. */
    private static Optional<String> exclusionReason(Pod pod) {
        String scheduler = pod.spec().path("schedulerName").asText("");
        if (!scheduler.isEmpty() && !scheduler.equals(Placement.ACTOR)) {
            return Optional.of("the Pod names the scheduler \"" + scheduler + "\", so Mooring does not schedule it");
        }
        List<String> gates = new ArrayList<>();
        pod.spec()
                .path("schedulingGates")
                .forEach(gate -> gates.add(gate.path("name").asText("")));
        return gates.isEmpty()
                ? Optional.empty()
                : Optional.of("the Pod has scheduling gates: " + String.join(", ", gates));
    }

    private static boolean needsClaimBinding(Pod pod) {
        return pod.isScheduled() && !pod.isFinished() && !pod.isBeingDeleted();
    }
}
