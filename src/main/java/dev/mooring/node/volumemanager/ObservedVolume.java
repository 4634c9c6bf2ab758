package dev.mooring.node.volumemanager;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Volume;
import dev.mooring.volume.DevicePlugin;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The input of the planner for one volume, from one World.
 *
 * @param actual empty if the node has nothing of it
 * @param desired the mountable DesiredVolumes of this volume, ordered by name
 * @param device how the node attaches its device; empty if it has none, or no plugin supports the volume any more
 * @param attachment the VolumeAttachment, for volumes that have one
 * @param persistentVolume the desired PersistentVolume, if it is one and exists
 * @param podsStillUsing UIDs of Pods that may still use the volume although they have no DesiredVolume
 * @param conflicts by UID of the Pods that must not have the volume now: its current user
 */
record ObservedVolume(
        Optional<ActualVolume> actual,
        List<DesiredVolume> desired,
        Optional<DevicePlugin.AttachMode> device,
        Optional<StoredObject> attachment,
        Optional<Volume> persistentVolume,
        Set<String> podsStillUsing,
        Map<String, AccessModeConflicts.AccessConflict> conflicts,
        Instant now) {

    List<ActualVolume.Mount> mounts() {
        return actual.map(ActualVolume::mounts).orElse(List.of());
    }

    boolean isDesiredBy(String podUid) {
        return desired.stream().anyMatch(each -> each.pod().uid().equals(podUid));
    }

    /**
     * Returns whether the claim of the PersistentVolume is gone, so that the data may be deleted at any time: no Pod
     * may start to use it.
     */
    boolean isReleased() {
        return persistentVolume
                .filter(volume -> volume.phase().equals("Released")
                        || volume.phase().equals("Failed")
                        || (volume.isBeingDeleted() && !volume.phase().equals("Bound")))
                .isPresent();
    }
}
