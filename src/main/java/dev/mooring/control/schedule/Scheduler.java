package dev.mooring.control.schedule;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.control.schedule.PodEntry.Standing;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Gives Pods nodes on which their volumes are, or can be made: see {@link Placement} for the steps, {@link NodeRules}, {@link Holders} and
 * {@link VolumeRules} for what is asked of a node, {@link Plan.Merit} for which of several is taken. Decides the same upon the same World.
 *
 * <p>Its keys are Pods: those without a node that name no other scheduler, and those that came with a node and have claims that wait for a
 * first consumer. Who finds no node says why, waits in the {@link Backlog}, and is looked at again when something changes that may help.
 *
 * <p>Keeps an index of the Pods and of the free volumes, and remembers what is {@link InFlight}. The last is only there so that many Pods
 * at once do not choose the same; that no two get what one can have is ensured by what each event expects.
 */
public final class Scheduler implements Controller {
    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    /** How soon Pods that wait say what has changed, if it does not help them. */
    private static final Duration WORDS = Duration.ofSeconds(1);

    private final Knowledge knowledge;

    public Scheduler() {
        this(new IndexedVolumes());
    }

    public Scheduler(VolumeChoice volumes) {
        this.knowledge = Knowledge.none(volumes);
    }

    @Override
    public String name() {
        return Placement.ACTOR;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                NodeViews.SCOPE,
                Scope.resource(PODS),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.CLASSES));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        boolean landed = knowledge.inFlight().forget(change.object());
        switch (change.key().resource()) {
            case PODS -> followPod(change, world, wakes);
            case NODES -> followNode(change, before, wakes);
            case StorageNames.CLAIMS -> followClaim(change, before, wakes);
            case StorageNames.VOLUMES -> followVolume(change, wakes);
            default ->
                knowledge.backlog().wake(Backlog.storageClass(change.key().name()), wakes);
        }
        if (landed && knowledge.inFlight().isEmpty()) {
            knowledge.onHold().forEach(wakes::now);
            knowledge.onHold().clear();
        }
    }

    private void followPod(Change change, World world, Wakes wakes) {
        ObjectKey key = change.key();
        Optional<PodEntry> before = knowledge.pods().follow(change);
        Optional<PodEntry> after = knowledge.pods().get(key);
        if (after.isEmpty()) {
            knowledge.backlog().remove(key);
            knowledge.inFlight().forgetPod(key);
            before.filter(entry -> entry.is(Standing.ON_NODE)).ifPresent(entry -> left(entry, wakes));
            return;
        }
        boolean arrived = after.get().is(Standing.ON_NODE)
                && before.filter(entry -> entry.is(Standing.WAITING)).isPresent();
        if (arrived) {
            arrived(after.get(), wakes);
        }
        if (after.get().is(Standing.WAITING) || hasUnboundClaims(after.get(), world)) {
            wakes.now(key);
        } else {
            knowledge.backlog().remove(key);
        }
    }

    private static boolean hasUnboundClaims(PodEntry pod, World world) {
        return pod.claims().stream()
                .anyMatch(claim -> world.get(claim)
                        .filter(found -> StoredJson.mentions(found, StorageNames.BIND_COMPLETED))
                        .isEmpty());
    }

    /** What a Pod has left behind on its node, and the claims it had, others may have now. */
    private void left(PodEntry pod, Wakes wakes) {
        knowledge.backlog().wake(Backlog.PODS, wakes);
        for (ObjectKey claim : pod.claims()) {
            wakeUsers(claim, Standing.WAITING, wakes);
        }
    }

    /** Where the first Pod of a claim is may be news for the others. */
    private void arrived(PodEntry pod, Wakes wakes) {
        for (ObjectKey claim : pod.claims()) {
            boolean first = knowledge.pods().users(claim).stream()
                    .filter(user -> !user.equals(pod.key()))
                    .flatMap(user -> knowledge.pods().get(user).stream())
                    .noneMatch(user -> user.is(Standing.ON_NODE));
            if (first) {
                wakeUsers(claim, Standing.WAITING, wakes);
            } else {
                waiting(claim).forEach(user -> wakes.within(user, WORDS)); // it may be the one they name
            }
        }
    }

    private List<ObjectKey> waiting(ObjectKey claim) {
        return knowledge.pods().users(claim).stream()
                .filter(user -> knowledge
                        .pods()
                        .get(user)
                        .filter(entry -> entry.is(Standing.WAITING))
                        .isPresent())
                .toList();
    }

    private void wakeUsers(ObjectKey claim, Standing standing, Wakes wakes) {
        for (ObjectKey user : knowledge.pods().users(claim)) {
            if (knowledge.pods().get(user).filter(entry -> entry.is(standing)).isPresent()) {
                wakes.now(user);
            }
        }
    }

    private void followNode(Change change, Optional<StoredObject> before, Wakes wakes) {
        if (!knowledge.backlog().awaits(Backlog.NODES)) {
            return;
        }
        if (change.isRemoval() || before.isEmpty()) {
            knowledge.backlog().wake(Backlog.NODES, wakes);
            return;
        }
        Node was = Node.of(before.get());
        Node is = Node.of(change.object());
        if (NodeViews.takesOthers(was, is)) {
            knowledge.backlog().wake(Backlog.NODES, wakes);
        } else if (NodeViews.hasOtherRoom(was, is)) {
            knowledge.backlog().wake(Backlog.STORAGE, wakes);
        }
    }

    private void followClaim(Change change, Optional<StoredObject> before, Wakes wakes) {
        ObjectKey key = change.key();
        boolean used = !knowledge.pods().users(key).isEmpty();
        boolean selected = StoredJson.mentions(change.object(), StorageNames.SELECTED_NODE)
                || before.filter(each -> StoredJson.mentions(each, StorageNames.SELECTED_NODE))
                        .isPresent();
        if (!used && !selected) {
            return;
        }
        Optional<Claim> was = before.map(Claim::of);
        Optional<Claim> is = change.isRemoval()
                ? Optional.empty()
                : Optional.of(change.object()).map(Claim::of);
        knowledge.setbacks().follow(key, was, is);
        if (knowledge.storage().follow(change, is)) {
            knowledge.backlog().wake(Backlog.STORAGE, wakes);
        }
        wakeUsers(key, Standing.WAITING, wakes);
        boolean wasBound = was.filter(PodClaims::isBound).isPresent();
        boolean isBound = is.filter(PodClaims::isBound).isPresent();
        if (!wasBound || !isBound) {
            wakeUsers(key, Standing.ON_NODE, wakes);
        }
    }

    private void followVolume(Change change, Wakes wakes) {
        knowledge.volumes().follow(change);
        Backlog backlog = knowledge.backlog();
        if (backlog.size() == 0) {
            return;
        }
        backlog.wake(Backlog.volume(change.key().name()), wakes);
        Volume volume = Volume.of(change.object());
        String topic = Backlog.storageClass(volume.className());
        if (!change.isRemoval() && volume.claimRef().isEmpty()) {
            backlog.wake(topic, wakes);
        } else {
            backlog.wakeWithin(
                    topic, WORDS,
                    wakes); // one less to be had: nobody gets a node by that, but what they say may change
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        knowledge.inFlight().forgetPod(key);
        knowledge.onHold().remove(key);
        Optional<Pod> pod = world.get(key).map(Pod::of);
        if (pod.filter(Scheduler::isToBeChosenFor).isPresent()) {
            return new Placement(knowledge, world, pod.get(), now).choose();
        }
        if (pod.filter(Scheduler::isToBeServed).isPresent()) {
            return new Placement(knowledge, world, pod.get(), now).serve();
        }
        knowledge.backlog().remove(key);
        return Decision.nothing();
    }

    private static boolean isToBeChosenFor(Pod pod) {
        String scheduler = pod.spec().path("schedulerName").asText("");
        return !pod.isScheduled()
                && !pod.isFinished()
                && !pod.isBeingDeleted()
                && (scheduler.isEmpty() || scheduler.equals(Placement.ACTOR))
                && pod.spec().path("schedulingGates").isEmpty();
    }

    private static boolean isToBeServed(Pod pod) {
        return pod.isScheduled() && !pod.isFinished() && !pod.isBeingDeleted();
    }
}
