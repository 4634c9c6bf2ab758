package dev.mooring.node.volumemanager;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Change;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.node.volumemanager.DesiredStateOfWorld.HolderLocation;
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
 * Makes the {@link ActualStateOfWorld} of a node follow the {@link DesiredStateOfWorld}, per volume: runs the
 * {@link Planner}, records the start of the first planned operation, and executes started operations. One operation per
 * volume at a time; the event that ends it triggers the next sync.
 *
 * <p>A volume is never unmounted from a Pod that may still use it, even without a DesiredVolume: the Pod itself is
 * checked. So an incomplete desired state after a start causes no unmount.
 *
 * <p>Keys are ActualVolumes of this node, and VolumeAttachments whose attacher it is. Effects go through
 * {@link PendingOperations}, which is idempotent.
 */
public final class Reconciler implements Controller {
    /** In case there is no notification for the end of the last container. */
    private static final Duration REQUEUE_INTERVAL = Duration.ofSeconds(5);

    private final NodeContext node;
    private final PendingOperations operations;
    private final OperationRecorder recorder;
    private final AttachmentStatusReporter attacher;

    public Reconciler(NodeContext node, PendingOperations operations) {
        this.node = node;
        this.operations = operations;
        this.recorder = new OperationRecorder(node.name(), node.layout());
        this.attacher = new AttachmentStatusReporter(node.name());
    }

    @Override
    public String name() {
        return recorder.actor();
    }

    @Override
    public String metricName() {
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
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        DesiredStateOfWorld desiredState = desiredState(world);
        switch (change.key().resource()) {
            case StorageNames.DESIRED_VOLUMES -> {
                desiredState
                        .affectedBy(change, before, StorageNames.ACTUAL_VOLUMES)
                        .forEach(queue::enqueue);
                // Another Pod may now be the first to request the volume.
                if (change.isRemoval()) {
                    String volume = DesiredVolume.of(change.object()).persistentVolume();
                    desiredState.waitingFor(volume, HolderLocation.THIS_NODE).forEach(queue::enqueue);
                }
            }
            case StorageNames.ACTUAL_VOLUMES -> onActualVolumeChange(change, desiredState, queue);
            default -> {
                if (attacher.isOwnAttachment(change.object())) {
                    queue.enqueue(change.key());
                    String volume = AttachmentStatusReporter.volume(change.object());
                    desiredState.actualKeysOfPersistentVolume(volume).forEach(queue::enqueue);
                    ActualStateOfWorld actualState = actualState(world);
                    actualState.volumesOfPersistentVolume(volume).stream()
                            .filter(actualState::isOnThisNode)
                            .forEach(each -> queue.enqueue(each.key()));
                }
            }
        }
    }

    private DesiredStateOfWorld desiredState(World world) {
        return new DesiredStateOfWorld(node.name(), world);
    }

    private ActualStateOfWorld actualState(World world) {
        return new ActualStateOfWorld(node.name(), world);
    }

    private void onActualVolumeChange(Change change, DesiredStateOfWorld desiredState, Enqueuer queue) {
        ActualVolume volume = ActualVolume.of(change.object());
        boolean here = volume.node().equals(node.name());
        desiredState
                .waitingFor(volume.persistentVolume(), here ? HolderLocation.THIS_NODE : HolderLocation.ANOTHER_NODE)
                .forEach(queue::enqueue);
        if (here) {
            queue.enqueue(change.key());
            attacher.attachmentKey(volume).ifPresent(queue::enqueue);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(StorageNames.ATTACHMENTS)) {
            return world.get(key)
                    .filter(attacher::isOwnAttachment)
                    .map(attachment -> Decision.of(attacher.report(actualState(world), attachment, now)))
                    .orElseGet(Decision::none);
        }
        ObservedVolume observed = observe(world, key, now);
        observed.actual().ifPresent(volume -> startPendingOperations(volume, observed.desired()));
        VolumePlan plan = Planner.plan(observed);
        List<Proposal> proposals = new ArrayList<>();
        if (!plan.operations().isEmpty()) {
            proposals.add(
                    recorder.recordStarted(key, observed, plan.operations().get(0)));
        } else if (plan.disposition() == VolumePlan.Disposition.REMOVE) {
            proposals.add(recorder.removeVolume(observed.actual().orElseThrow()));
        }
        recordConflicts(world, observed, proposals);
        Decision decision = Decision.of(proposals);
        if (plan.next().isPresent()) {
            return decision.requeueAt(plan.next().get(), now);
        }
        boolean waits = !observed.podsStillUsing().isEmpty()
                || (observed.isReleased() && !plan.waiting().isEmpty());
        return waits ? decision.requeueAfter(REQUEUE_INTERVAL) : decision;
    }

    private void recordConflicts(World world, ObservedVolume observed, List<Proposal> proposals) {
        for (DesiredVolume each : observed.desired()) {
            String reason = observed.conflicts().get(each.pod().uid());
            if (reason != null) {
                PodReference pod = each.pod();
                KubeEvent event = KubeEvent.warning(
                        new KubeEvent.InvolvedObject("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), ""),
                        EventReasons.FAILED_MOUNT,
                        "MountVolume.SetUp failed for volume \"" + each.directoryName() + "\" : " + reason,
                        recorder.actor());
                EventProposals.recordEventOnce(world, event, each.cause(), observed.now())
                        .ifPresent(proposals::add);
            }
        }
    }

    /** Returns the plan of a volume, for inspection. */
    public VolumePlan plan(World world, ObjectKey key, Instant now) {
        return Planner.plan(observe(world, key, now));
    }

    private ObservedVolume observe(World world, ObjectKey key, Instant now) {
        DesiredStateOfWorld desiredState = desiredState(world);
        ActualStateOfWorld actualState = actualState(world);
        Optional<ActualVolume> actual = actualState.get(key);
        List<DesiredVolume> desired = desiredState.volumesOf(key);
        Optional<String> plugin = actual.map(ActualVolume::plugin)
                .or(() -> desired.stream().map(DesiredVolume::plugin).findFirst());
        Optional<String> volume = actual.map(ActualVolume::volume)
                .or(() -> desired.stream().map(DesiredVolume::volume).findFirst());
        return new ObservedVolume(
                actual,
                desired,
                plugin.flatMap(node.plugins()::named),
                volume.flatMap(each -> actualState.attachment(each)),
                desired.stream()
                        .map(DesiredVolume::persistentVolume)
                        .filter(name -> !name.isEmpty())
                        .findFirst()
                        .flatMap(name -> world.get(Volume.key(name)))
                        .map(Volume::of),
                podsStillUsing(world, actual, desired),
                new AccessModeConflicts(desiredState, actualState).byPodUid(desired),
                now);
    }

    /** Returns the Pods that have the volume mounted and still need it, although they have no DesiredVolume. */
    private Set<String> podsStillUsing(World world, Optional<ActualVolume> actual, List<DesiredVolume> desired) {
        Set<String> needing = new HashSet<>();
        for (Mount each : actual.map(ActualVolume::mounts).orElse(List.of())) {
            boolean wanted = MountRequest.of(each.pod().uid(), desired).isPresent();
            if (!wanted && mayUse(world, each.pod())) {
                needing.add(each.pod().uid());
            }
        }
        return needing;
    }

    private boolean mayUse(World world, PodReference pod) {
        if (node.containers().mayRun(pod.uid())) {
            return true;
        }
        if (pod.namespace().isEmpty() || pod.name().isEmpty()) {
            return false;
        }
        return world.get(Pod.key(pod.namespace(), pod.name()))
                .filter(found -> found.containsText(pod.uid()))
                .map(Pod::of)
                .filter(found -> found.uid().equals(pod.uid())
                        && found.nodeName().equals(node.name())
                        && PodVolumes.wants(found, node.containers()))
                .isPresent();
    }

    private void startPendingOperations(ActualVolume volume, List<DesiredVolume> desired) {
        start(volume, volume.operation(), "", desired);
        volume.mounts()
                .forEach(each -> start(volume, each.operation(), each.pod().uid(), desired));
    }

    private void start(ActualVolume volume, String open, String podUid, List<DesiredVolume> desired) {
        Operation.named(open).ifPresent(operation -> {
            if (!operations.isOperationPending(new OperationKey(volume.key(), podUid), operation)) {
                operations.start(volume, operation, podUid, desired);
            }
        });
    }
}
