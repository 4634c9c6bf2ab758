package dev.mooring.node.volumemanager;

import dev.mooring.control.EventProposals;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.PodReference;
import dev.mooring.node.volumemanager.OperationExecutor.StartedOperation;
import dev.mooring.volume.SetUpResult;
import dev.mooring.world.World;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Records volume Events on Pods. Does not retry Events that cannot be written: the ActualVolume has the same
 * information. Any thread.
 */
final class VolumeEventRecorder {
    private final String actor;
    private final WorkContext context;

    VolumeEventRecorder(String actor, WorkContext context) {
        this.actor = actor;
        this.context = context;
    }

    /** Records the result of an operation. */
    void recordResult(StartedOperation operation, OperationResult ended) {
        if (ended instanceof OperationResult.Failed failed) {
            String text = operationName(operation.start().operation()) + " failed for volume \"" + name(operation)
                    + "\" : " + failed.message();
            recordForAll(
                    operation, KubeEvent.Type.WARNING, reason(operation.start().operation()), text);
        } else if (ended instanceof OperationResult.Mounted mounted) {
            for (SetUpResult.SetUpEvent event : mounted.done().events()) {
                recordForAll(operation, KubeEvent.Type.WARNING, event.reason(), event.message());
            }
        } else if (ended instanceof OperationResult.Expanded) {
            recordForAll(
                    operation,
                    KubeEvent.Type.NORMAL,
                    EventReasons.FILE_SYSTEM_RESIZE_SUCCESSFUL,
                    "MountVolume.NodeExpandVolume succeeded for volume \"" + name(operation) + "\"");
        }
    }

    /** Records an Event during an operation. */
    void recordProgress(StartedOperation operation, String reason, String message) {
        boolean worrying = reason.startsWith("Unmount");
        recordForAll(
                operation,
                worrying ? KubeEvent.Type.WARNING : KubeEvent.Type.NORMAL,
                reason,
                "volume \"" + name(operation) + "\": " + message);
    }

    private void recordForAll(StartedOperation operation, KubeEvent.Type type, String reason, String message) {
        World world = context.world().world();
        if (involvedPods(operation).isEmpty() && type == KubeEvent.Type.WARNING) {
            // Found on the disk after a restart, and belongs to no known Pod.
            String node = operation.volume().node();
            EventProposals.recordEventOnce(
                            world,
                            KubeEvent.warning(
                                    new InvolvedObject("v1", "Node", "", node, node, ""), reason, message, actor),
                            operation.volume().cause(),
                            context.clock().instant())
                    .ifPresent(context.world()::propose);
        }
        for (PodReference pod : involvedPods(operation)) {
            InvolvedObject involved = new InvolvedObject("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), "");
            EventProposals.recordEvent(
                            world,
                            new KubeEvent(involved, type, reason, message, actor),
                            operation.volume().cause(),
                            context.clock().instant())
                    .ifPresent(context.world()::propose);
        }
    }

    private static Set<PodReference> involvedPods(StartedOperation operation) {
        Set<PodReference> pods = new LinkedHashSet<>();
        String podUid = operation.start().key().podUid();
        operation.volume().mounts().stream()
                .map(ActualVolume.Mount::pod)
                .filter(pod -> podUid.isEmpty() || pod.uid().equals(podUid))
                .forEach(pods::add);
        if (podUid.isEmpty()) {
            operation.start().desired().forEach(each -> pods.add(each.pod()));
        }
        // Only the UID is known of a Pod that was found on the disk after a restart.
        pods.removeIf(pod -> pod.namespace().isEmpty() || pod.name().isEmpty());
        return pods;
    }

    private static String name(StartedOperation operation) {
        ActualVolume volume = operation.volume();
        if (!volume.persistentVolume().isEmpty()) {
            return volume.persistentVolume();
        }
        return volume.mounts().stream()
                .map(ActualVolume.Mount::volumeName)
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElse(volume.volume());
    }

    /** Returns the kubelet's name of the operation. */
    private static String operationName(Operation operation) {
        return switch (operation) {
            case MOUNT -> "MountVolume.SetUp";
            case UNMOUNT -> "UnmountVolume.TearDown";
            case ATTACH -> "AttachVolume.Attach";
            case DETACH -> "DetachVolume.Detach";
            case MOUNT_DEVICE -> "MountVolume.MountDevice";
            case UNMOUNT_DEVICE -> "UnmountDevice";
            case EXPAND -> "NodeExpand.NodeExpandVolume";
        };
    }

    private static String reason(Operation operation) {
        return switch (operation) {
            case MOUNT, MOUNT_DEVICE -> EventReasons.FAILED_MOUNT;
            case UNMOUNT, UNMOUNT_DEVICE -> EventReasons.FAILED_UNMOUNT;
            case ATTACH -> EventReasons.FAILED_ATTACH_VOLUME;
            case DETACH -> EventReasons.FAILED_DETACH_VOLUME;
            case EXPAND -> EventReasons.VOLUME_RESIZE_FAILED;
        };
    }
}
