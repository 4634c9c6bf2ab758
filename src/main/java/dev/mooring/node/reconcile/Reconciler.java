package dev.mooring.node.reconcile;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Notices;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.Notice;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodOf;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.node.desired.PodVolumes;
import dev.mooring.node.reconcile.VolumeIndex.Holder;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Makes what a node has mounted follow what is desired, volume by volume: has the {@link Planner} decide, opens the first step of its plan, and
 * has what is open done. One step of a volume at a time; the event that ends it is the reason to look again.
 *
 * <p>Nothing is taken from a Pod that may still use it, whatever DesiredVolumes say: the Pod itself is asked. So there is no time after a start
 * in which what is desired is not yet known.
 *
 * <p>Keys are ActualVolumes of this node, and VolumeAttachments whose attacher it is. Effects go through {@link Operations}, which may be asked
 * again and again.
 */
public final class Reconciler implements Controller {
    /** In case nobody tells that the last container has ended. */
    private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);

    private final NodeParts node;
    private final Operations operations;
    private final Brackets brackets;
    private final VolumeIndex index;
    private final Attacher attacher;

    public Reconciler(NodeParts node, Operations operations) {
        this.node = node;
        this.operations = operations;
        this.brackets = new Brackets(node.name(), node.layout());
        this.index = new VolumeIndex(node.name());
        this.attacher = new Attacher(node.name(), index);
    }

    @Override
    public String name() {
        return brackets.actor();
    }

    @Override
    public String part() {
        return "reconciler";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(StorageNames.DESIRED_VOLUMES),
                Scope.resource(StorageNames.ACTUAL_VOLUMES),
                Scope.resource(StorageNames.ATTACHMENTS));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case StorageNames.DESIRED_VOLUMES -> {
                index.desired(change).forEach(wakes::now);
                // Who is the first to want it may be another one now.
                if (change.isRemoval()) {
                    String volume = DesiredVolume.of(change.object()).persistentVolume();
                    index.waitingFor(volume, Holder.THIS_NODE).forEach(wakes::now);
                }
            }
            case StorageNames.ACTUAL_VOLUMES -> followActual(change, wakes);
            default -> {
                if (attacher.isOurs(change.object())) {
                    wakes.now(change.key());
                    index.ofVolume(world, Attacher.volume(change.object())).forEach(wakes::now);
                }
            }
        }
    }

    private void followActual(Change change, Wakes wakes) {
        index.actual(change);
        ActualVolume volume = ActualVolume.of(change.object());
        boolean here = volume.node().equals(node.name());
        index.waitingFor(volume.persistentVolume(), here ? Holder.THIS_NODE : Holder.ANOTHER_NODE)
                .forEach(wakes::now);
        if (here) {
            wakes.now(change.key());
            attacher.key(volume).ifPresent(wakes::now);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(StorageNames.ATTACHMENTS)) {
            return world.get(key)
                    .filter(attacher::isOurs)
                    .map(attachment -> Decision.of(attacher.report(world, attachment, now)))
                    .orElseGet(Decision::nothing);
        }
        Sight sight = sight(world, key, now);
        sight.actual().ifPresent(volume -> startWhatIsOpen(volume, sight.desired()));
        Plan plan = Planner.plan(sight);
        List<Proposal> proposals = new ArrayList<>();
        if (!plan.steps().isEmpty()) {
            proposals.add(brackets.open(key, sight, plan.steps().get(0)));
        } else if (plan.ending() == Plan.Ending.GOES) {
            proposals.add(brackets.forget(sight.actual().orElseThrow()));
        }
        tellWhoIsKeptOut(world, sight, proposals);
        Decision decision = Decision.of(proposals);
        if (plan.next().isPresent()) {
            return decision.lookAgainAt(plan.next().get(), now);
        }
        return sight.needing().isEmpty() ? decision : decision.lookAgainAfter(LOOK_AGAIN);
    }

    private void tellWhoIsKeptOut(World world, Sight sight, List<Proposal> proposals) {
        for (DesiredVolume each : sight.desired()) {
            String reason = sight.keptOut().get(each.pod().uid());
            if (reason != null) {
                PodOf pod = each.pod();
                Notice notice = Notice.warning(
                        new Notice.Involved("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), ""),
                        "FailedMount",
                        "MountVolume.SetUp failed for volume \"" + each.directoryName() + "\" : " + reason,
                        brackets.actor());
                Notices.tellOnce(world, notice, each.cause(), sight.now()).ifPresent(proposals::add);
            }
        }
    }

    /** What is to be done about a volume, for whoever wants to read it. */
    public Plan plan(World world, ObjectKey key, Instant now) {
        return Planner.plan(sight(world, key, now));
    }

    private Sight sight(World world, ObjectKey key, Instant now) {
        Optional<ActualVolume> actual =
                world.get(key).map(ActualVolume::of).filter(each -> each.node().equals(node.name()));
        List<DesiredVolume> desired = index.desiredOf(world, key);
        Optional<String> plugin = actual.map(ActualVolume::plugin)
                .or(() -> desired.stream().map(DesiredVolume::plugin).findFirst());
        Optional<String> volume = actual.map(ActualVolume::volume)
                .or(() -> desired.stream().map(DesiredVolume::volume).findFirst());
        return new Sight(
                actual,
                desired,
                plugin.flatMap(node.plugins()::named),
                volume.flatMap(each -> VolumeIndex.attachment(world, each, node.name())),
                desired.stream()
                        .filter(Exclusion::concerns)
                        .findFirst()
                        .flatMap(each -> world.get(Volume.key(each.persistentVolume())))
                        .map(Volume::of),
                needing(world, actual, desired),
                new Exclusion(index, world, node.name()).of(desired),
                now);
    }

    /** Pods that have the volume and still want what they have, although no DesiredVolume says so. */
    private Set<String> needing(World world, Optional<ActualVolume> actual, List<DesiredVolume> desired) {
        Set<String> needing = new HashSet<>();
        for (Mount each : actual.map(ActualVolume::mounts).orElse(List.of())) {
            boolean wanted = Wish.of(each.pod().uid(), desired).isPresent();
            if (!wanted && mayUse(world, each.pod())) {
                needing.add(each.pod().uid());
            }
        }
        return needing;
    }

    private boolean mayUse(World world, PodOf pod) {
        if (node.containers().mayRun(pod.uid())) {
            return true;
        }
        if (pod.namespace().isEmpty() || pod.name().isEmpty()) {
            return false;
        }
        return world.get(Pod.key(pod.namespace(), pod.name()))
                .filter(found -> StoredJson.mentions(found, pod.uid()))
                .map(Pod::of)
                .filter(found -> found.uid().equals(pod.uid())
                        && found.nodeName().equals(node.name())
                        && PodVolumes.wants(found, node.containers()))
                .isPresent();
    }

    private void startWhatIsOpen(ActualVolume volume, List<DesiredVolume> desired) {
        start(volume, volume.operation(), "", desired);
        volume.mounts()
                .forEach(each -> start(volume, each.operation(), each.pod().uid(), desired));
    }

    private void start(ActualVolume volume, String open, String podUid, List<DesiredVolume> desired) {
        Operation.named(open).ifPresent(operation -> {
            if (!operations.isUnderWay(new OperationKey(volume.key(), podUid), operation)) {
                operations.start(volume, operation, podUid, desired);
            }
        });
    }
}
