package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who must not have a volume now, because another has it: one Pod only for ReadWriteOncePod, one node only for ReadWriteOnce, whatever kind of
 * volume it is. Who begins to mount such a volume writes that into the PersistentVolume, in the same event: so of two that saw it free at the
 * same time, one is too late. Pure.
 */
final class Exclusion {
    private final VolumeIndex index;
    private final World world;
    private final String node;

    Exclusion(VolumeIndex index, World world, String node) {
        this.index = index;
        this.world = world;
        this.node = node;
    }

    /** By the uid of the Pod that is kept out: by whom. */
    Map<String, String> of(List<DesiredVolume> desired) {
        Map<String, String> keptOut = new HashMap<>();
        for (DesiredVolume each : desired) {
            if (concerns(each)) {
                reason(each).ifPresent(reason -> keptOut.put(each.pod().uid(), reason));
            }
        }
        return keptOut;
    }

    static boolean concerns(DesiredVolume desired) {
        return !desired.persistentVolume().isEmpty() && !desired.accessModes().allowsManyNodes();
    }

    /** Makes it known, with an event, that a Pod begins to mount a volume. */
    static void take(Volume volume, ObjectKey actual, String podUid, Proposal.Builder event) {
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

    /** Who began last and still has it, whether or not the index has heard of that. */
    private Optional<ActualVolume> last(DesiredVolume desired) {
        return world.get(Volume.key(desired.persistentVolume()))
                .map(Volume::of)
                .flatMap(volume -> volume.annotation(StorageNames.LAST_MOUNTED_BY))
                .map(taker -> taker.split(" ", 2)[0])
                .filter(name -> !name.isEmpty() && name.indexOf('/') < 0)
                .flatMap(name -> world.get(ObjectKey.clusterWide(StorageNames.ACTUAL_VOLUMES, name)))
                .map(ActualVolume::of);
    }

    private Optional<String> reason(DesiredVolume desired) {
        boolean has = false;
        List<ActualVolume> having = new ArrayList<>(index.actualOfVolume(world, desired.persistentVolume()));
        last(desired).ifPresent(having::add);
        for (ActualVolume each : having) {
            if (!each.node().equals(node) && isUsed(each)) {
                return Optional.of("Multi-Attach error for volume \"" + desired.persistentVolume()
                        + "\" Volume is already used on node " + each.node()
                        + "; its access modes allow one node at a time");
            }
            if (desired.accessModes().isOncePod()) {
                for (ActualVolume.Mount mount : each.mounts()) {
                    has |= mount.pod().uid().equals(desired.pod().uid());
                    if (!mount.pod().uid().equals(desired.pod().uid())) {
                        return Optional.of(inUseBy(
                                mount.pod().namespace() + '/' + mount.pod().name()));
                    }
                }
            }
        }
        return desired.accessModes().isOncePod() && !has ? before(desired) : Optional.empty();
    }

    /** Of several that want it, the first gets it. */
    private Optional<String> before(DesiredVolume desired) {
        return index.desiredOfVolume(world, desired.persistentVolume()).stream()
                .findFirst()
                .filter(first -> !first.pod().uid().equals(desired.pod().uid()))
                .map(first ->
                        inUseBy(first.pod().namespace() + '/' + first.pod().name()));
    }

    private static String inUseBy(String pod) {
        return "volume uses the ReadWriteOncePod access mode and is already in use by another pod (" + pod + ')';
    }

    /** A volume that a node failed to mount, and has nothing of, is not used. */
    private static boolean isUsed(ActualVolume volume) {
        JsonNode status = volume.status();
        return !volume.state().equals(ActualVolume.FAILED)
                || !status.path("mounts").isEmpty()
                || !volume.devicePath().isEmpty()
                || !volume.deviceMount().isEmpty();
    }
}
