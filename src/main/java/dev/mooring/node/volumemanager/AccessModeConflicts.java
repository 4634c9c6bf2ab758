package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.PodReference;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Determines which Pods must not get a volume because it is in use: one Pod only for ReadWriteOncePod, one node only
 * for ReadWriteOnce, for all types of volumes. The start of such a mount updates the PersistentVolume in the same
 * transaction, so of two concurrent mounts one gets a conflict. Pure.
 */
final class AccessModeConflicts {
    private final DesiredStateOfWorld desired;
    private final ActualStateOfWorld actual;

    AccessModeConflicts(DesiredStateOfWorld desired, ActualStateOfWorld actual) {
        this.desired = desired;
        this.actual = actual;
    }

    /**
     * The current user of a volume, because of which another Pod must not have it.
     *
     * @param message the kubelet's
     * @param holder the Pod, or the ActualVolume of the other node, that has the volume; empty if its name is unknown
     */
    public record AccessConflict(String message, Optional<ObjectKey> holder) {}

    /** Returns the conflicts by UID of the blocked Pod. */
    Map<String, AccessConflict> byPodUid(List<DesiredVolume> volumes) {
        Map<String, AccessConflict> conflicts = new HashMap<>();
        for (DesiredVolume each : volumes) {
            if (isExclusive(each)) {
                conflict(each).ifPresent(found -> conflicts.put(each.pod().uid(), found));
            }
        }
        return conflicts;
    }

    static boolean isExclusive(DesiredVolume desired) {
        return !desired.persistentVolume().isEmpty() && !desired.accessModes().allowsManyNodes();
    }

    /** Records in the PersistentVolume that a Pod starts to mount it. */
    static void recordHolder(Volume volume, ObjectKey actual, String podUid, Proposal.Builder event) {
        String taker = actual.name() + ' ' + podUid;
        if (volume.annotation(StorageNames.LAST_MOUNTED_BY)
                .filter(taker::equals)
                .isPresent()) {
            event.expect(volume.stored());
            return;
        }
        ObjectNode object = volume.copy();
        object.withObject("/metadata").withObject("/annotations").put(StorageNames.LAST_MOUNTED_BY, taker);
        event.replace(volume.stored(), Draft.of(volume.key(), object));
    }

    private Optional<AccessConflict> conflict(DesiredVolume volume) {
        boolean has = false;
        for (ActualVolume each : actual.volumesOfPersistentVolume(volume.persistentVolume())) {
            if (!actual.isOnThisNode(each) && isUsed(each)) {
                return Optional.of(new AccessConflict(
                        "Multi-Attach error for volume \"" + volume.persistentVolume()
                                + "\" Volume is already used on node " + each.node()
                                + "; its access modes allow one node at a time",
                        Optional.of(each.key())));
            }
            if (volume.accessModes().isOncePod()) {
                for (ActualVolume.Mount mount : each.mounts()) {
                    has |= mount.pod().uid().equals(volume.pod().uid());
                    if (!mount.pod().uid().equals(volume.pod().uid())) {
                        return Optional.of(inUseBy(mount.pod()));
                    }
                }
            }
        }
        return volume.accessModes().isOncePod() && !has ? earlierRequest(volume) : Optional.empty();
    }

    /** Returns the conflict with the Pod that requested the volume first, if it is another Pod. */
    private Optional<AccessConflict> earlierRequest(DesiredVolume volume) {
        return desired.volumesOfPersistentVolume(volume.persistentVolume()).stream()
                .findFirst()
                .filter(first -> !first.pod().uid().equals(volume.pod().uid()))
                .map(first -> inUseBy(first.pod()));
    }

    private static AccessConflict inUseBy(PodReference pod) {
        return new AccessConflict(
                "volume uses the ReadWriteOncePod access mode and is already in use by another pod (" + pod.namespace()
                        + '/' + pod.name() + ')',
                pod.key());
    }

    /** Returns whether the volume is in use; a failed mount that left nothing behind is no use. */
    private static boolean isUsed(ActualVolume volume) {
        JsonNode status = volume.status();
        return !volume.state().equals(ActualVolume.FAILED)
                || !status.path("mounts").isEmpty()
                || !volume.devicePath().isEmpty()
                || !volume.deviceMount().isEmpty();
    }
}
