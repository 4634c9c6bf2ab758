package dev.mooring.node.reconcile;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.Volume;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.VolumePlugin;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that decides about one volume, as of one World.
 *
 * @param actual nothing if the node has nothing of it
 * @param desired those of this volume that can be mounted, in the order of their names
 * @param plugin nothing if nobody here knows such volumes any more
 * @param attachment the VolumeAttachment, for volumes that have one
 * @param exclusive the PersistentVolume, if one node or one Pod only may have it
 * @param needing uids of Pods that have it and may still use it although no DesiredVolume says so
 * @param keptOut for Pods that must not have it now: their uid, and who has it
 */
record Sight(
        Optional<ActualVolume> actual,
        List<DesiredVolume> desired,
        Optional<VolumePlugin> plugin,
        Optional<StoredObject> attachment,
        Optional<Volume> exclusive,
        Set<String> needing,
        Map<String, String> keptOut,
        Instant now) {

    Optional<DevicePlugin> device() {
        return plugin.filter(DevicePlugin.class::isInstance).map(DevicePlugin.class::cast);
    }

    List<ActualVolume.Mount> mounts() {
        return actual.map(ActualVolume::mounts).orElse(List.of());
    }

    boolean isDesiredBy(String podUid) {
        return desired.stream().anyMatch(each -> each.pod().uid().equals(podUid));
    }
}
