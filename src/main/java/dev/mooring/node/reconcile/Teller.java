package dev.mooring.node.reconcile;

import dev.mooring.control.Notices;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.PodOf;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.SetUpDone;
import dev.mooring.world.World;
import java.util.LinkedHashSet;
import java.util.Set;

/** Tells Pods, as Events, what happens to their volumes. What cannot be told is not told again: the ActualVolume has it. Any thread. */
final class Teller {
    private final String actor;
    private final WorkParts parts;

    Teller(String actor, WorkParts parts) {
        this.actor = actor;
        this.parts = parts;
    }

    /** An operation has ended. */
    void tell(Task task, Ended ended) {
        if (ended instanceof Ended.Failed failed) {
            String text =
                    words(task.id().operation()) + " failed for volume \"" + name(task) + "\" : " + failed.message();
            everybody(task, Notice.Type.WARNING, reason(task.id().operation()), text);
        } else if (ended instanceof Ended.Mounted mounted) {
            for (SetUpDone.Remark remark : mounted.done().remarks()) {
                everybody(task, Notice.Type.WARNING, remark.reason(), remark.message());
            }
        } else if (ended instanceof Ended.Grown) {
            everybody(
                    task,
                    Notice.Type.NORMAL,
                    "FileSystemResizeSuccessful",
                    "MountVolume.NodeExpandVolume succeeded for volume \"" + name(task) + "\"");
        }
    }

    /** Something happened while an operation was under way. */
    void progress(Task task, String reason, String message) {
        boolean worrying = reason.startsWith("Unmount");
        everybody(
                task,
                worrying ? Notice.Type.WARNING : Notice.Type.NORMAL,
                reason,
                "volume \"" + name(task) + "\": " + message);
    }

    private void everybody(Task task, Notice.Type type, String reason, String message) {
        World world = parts.world().world();
        if (concerned(task).isEmpty() && type == Notice.Type.WARNING) {
            // What was found on the disk after a restart, and belongs to no Pod that anybody knows.
            String node = task.opened().node();
            Notices.tellOnce(
                            world,
                            Notice.warning(new Involved("v1", "Node", "", node, node, ""), reason, message, actor),
                            task.opened().cause(),
                            parts.clock().instant())
                    .ifPresent(parts.world()::propose);
        }
        for (PodOf pod : concerned(task)) {
            Involved involved = new Involved("v1", "Pod", pod.namespace(), pod.name(), pod.uid(), "");
            Notices.tell(
                            world,
                            new Notice(involved, type, reason, message, actor),
                            task.opened().cause(),
                            parts.clock().instant())
                    .ifPresent(parts.world()::propose);
        }
    }

    private static Set<PodOf> concerned(Task task) {
        Set<PodOf> pods = new LinkedHashSet<>();
        String podUid = task.id().key().podUid();
        task.opened().mounts().stream()
                .map(ActualVolume.Mount::pod)
                .filter(pod -> podUid.isEmpty() || pod.uid().equals(podUid))
                .forEach(pods::add);
        if (podUid.isEmpty()) {
            task.desired().forEach(each -> pods.add(each.pod()));
        }
        // Of a Pod that was found on the disk after a restart only the uid is known.
        pods.removeIf(pod -> pod.namespace().isEmpty() || pod.name().isEmpty());
        return pods;
    }

    private static String name(Task task) {
        ActualVolume volume = task.opened();
        if (!volume.persistentVolume().isEmpty()) {
            return volume.persistentVolume();
        }
        return volume.mounts().stream()
                .map(ActualVolume.Mount::volumeName)
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElse(volume.volume());
    }

    /** The kubelet's words. */
    private static String words(Operation operation) {
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
            case MOUNT, MOUNT_DEVICE -> "FailedMount";
            case UNMOUNT, UNMOUNT_DEVICE -> "FailedUnMount";
            case ATTACH -> "FailedAttachVolume";
            case DETACH -> "FailedDetachVolume";
            case EXPAND -> "VolumeResizeFailed";
        };
    }
}
