package dev.mooring.node.volumemanager;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Effect;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Change;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.volumemanager.DesiredStateOfWorld.HolderLocation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes the {@link ActualStateOfWorld} of a node follow the {@link DesiredStateOfWorld}, per volume: runs the
 * {@link Planner}, records the start of the first planned operation, and then starts it. One operation per volume at a
 * time; the event that ends it triggers the next sync.
 *
 * <p>A volume is never unmounted from a Pod that may still use it, even without a DesiredVolume: the Pod itself is
 * checked. So an incomplete desired state after a start causes no unmount.
 *
 * <p>Keys are ActualVolumes of this node, and VolumeAttachments whose attacher it is.
 */
public final class Reconciler implements Controller {
    /** In case there is no notification for the end of the last container. */
    private static final Duration REQUEUE_INTERVAL = Duration.ofSeconds(5);

    private final NodeContext node;
    private final OperationRecorder recorder;
    private final AttachmentStatusReporter attacher;
    private final VolumeObserver observer;

    /**
     * Executes an operation that is in progress in the World, unless this process executes it already.
     *
     * @param desired the DesiredVolumes of the volume
     */
    public record StartOperation(OperationKey key, Operation operation, List<DesiredVolume> desired) implements Effect {
        public StartOperation {
            desired = List.copyOf(desired);
        }
    }

    public Reconciler(NodeContext node) {
        this.node = node;
        this.recorder = new OperationRecorder(node.name(), node.layout());
        this.attacher = new AttachmentStatusReporter(node.name());
        this.observer = VolumeObserver.of(node);
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
        ObservedVolume observed = observer.observe(world, key, now);
        VolumePlan plan = Planner.plan(observed);
        List<StartOperation> operations = operationsInProgress(observed);
        List<Proposal> proposals = new ArrayList<>();
        if (!plan.operations().isEmpty()) {
            PlannedOperation planned = plan.operations().get(0);
            proposals.add(recorder.recordStarted(key, observed, planned));
            operations.add(new StartOperation(
                    new OperationKey(key, planned.pod().map(PodReference::uid).orElse("")),
                    planned.operation(),
                    observed.desired()));
        } else if (plan.disposition() == VolumePlan.Disposition.REMOVE) {
            proposals.add(recorder.removeVolume(observed.actual().orElseThrow()));
        }
        recordConflicts(world, observed, proposals);
        Decision decision = Decision.of(proposals).withEffects(operations);
        if (plan.next().isPresent()) {
            return decision.requeueAt(plan.next().get(), now);
        }
        boolean waits = !observed.podsStillUsing().isEmpty()
                || (observed.isReleased() && !plan.waiting().isEmpty());
        return waits ? decision.requeueAfter(REQUEUE_INTERVAL) : decision;
    }

    private void recordConflicts(World world, ObservedVolume observed, List<Proposal> proposals) {
        for (DesiredVolume each : observed.desired()) {
            AccessModeConflicts.AccessConflict conflict =
                    observed.conflicts().get(each.pod().uid());
            if (conflict != null) {
                PodReference pod = each.pod();
                KubeEvent event = KubeEvent.warning(
                        new KubeEvent.InvolvedObject("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), ""),
                        EventReasons.FAILED_MOUNT,
                        "MountVolume.SetUp failed for volume \"" + each.directoryName() + "\" : " + conflict.message(),
                        recorder.actor());
                EventProposals.recordEventOnce(world, event, each.cause(), observed.now())
                        .ifPresent(proposals::add);
            }
        }
    }

    /** Returns the started operations: the executor may not have received them before a restart. */
    private static List<StartOperation> operationsInProgress(ObservedVolume observed) {
        List<StartOperation> operations = new ArrayList<>();
        observed.actual().ifPresent(volume -> {
            addOperation(volume.operation(), new OperationKey(volume.key(), ""), observed, operations);
            volume.mounts()
                    .forEach(each -> addOperation(
                            each.operation(),
                            new OperationKey(volume.key(), each.pod().uid()),
                            observed,
                            operations));
        });
        return operations;
    }

    private static void addOperation(
            String started, OperationKey key, ObservedVolume observed, List<StartOperation> operations) {
        Operation.named(started)
                .ifPresent(operation -> operations.add(new StartOperation(key, operation, observed.desired())));
    }
}
