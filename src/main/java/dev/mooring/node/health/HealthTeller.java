package dev.mooring.node.health;

import dev.mooring.control.Notices;
import dev.mooring.model.Cause;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.node.work.WorkParts;
import dev.mooring.world.World;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Tells Pods, claims and volumes, as Events, how a mount is. What cannot be told is not told again: the ActualVolume has it. Any thread. */
final class HealthTeller {
    private final String actor;
    private final WorkParts parts;

    HealthTeller(String actor, WorkParts parts) {
        this.actor = actor;
        this.parts = parts;
    }

    /** Something is wrong. The kubelet's word for it. */
    void abnormal(ActualVolume volume, Mount mount, String message) {
        String name = mount.volumeName().isEmpty() ? volume.persistentVolume() : mount.volumeName();
        everybody(volume, mount, Notice.Type.WARNING, "VolumeConditionAbnormal", "Volume " + name + ": " + message);
    }

    void normal(ActualVolume volume, Mount mount) {
        everybody(
                volume, mount, Notice.Type.NORMAL, "VolumeConditionNormal", "The Volume returns to the healthy state");
    }

    private void everybody(ActualVolume volume, Mount mount, Notice.Type type, String reason, String message) {
        World world = parts.world().world();
        for (ObjectKey each : concerned(volume, mount)) {
            world.get(each)
                    .filter(object -> !isAnotherPod(object, mount))
                    .map(object -> new Notice(Involved.of(object), type, reason, message, actor))
                    .flatMap(notice -> Notices.tell(
                            world, notice, volume.cause(), parts.clock().instant()))
                    .ifPresent(parts.world()::propose);
        }
    }

    private static Set<ObjectKey> concerned(ActualVolume volume, Mount mount) {
        Set<ObjectKey> keys = new LinkedHashSet<>();
        if (!mount.pod().namespace().isEmpty() && !mount.pod().name().isEmpty()) {
            keys.add(Pod.key(mount.pod().namespace(), mount.pod().name()));
        }
        String namespace = volume.spec().path("claim").path("namespace").asText("");
        String claim = volume.spec().path("claim").path("name").asText("");
        if (!namespace.isEmpty() && !claim.isEmpty()) {
            keys.add(Claim.key(namespace, claim));
        }
        if (!volume.persistentVolume().isEmpty()) {
            keys.add(Volume.key(volume.persistentVolume()));
        }
        return keys;
    }

    /** One that came after it, under the same name. */
    private static boolean isAnotherPod(StoredObject object, Mount mount) {
        return object.key().resource().equals("pods")
                && !Pod.of(object).uid().equals(mount.pod().uid());
    }

    /** About this machine. */
    void node(String node, Notice.Type type, String reason, String message) {
        World world = parts.world().world();
        Optional<StoredObject> object = world.get(ObjectKey.clusterWide("nodes", node));
        object.map(Involved::of)
                .map(involved -> new Notice(involved, type, reason, message, actor))
                .flatMap(notice ->
                        Notices.tell(world, notice, Cause.none(), parts.clock().instant()))
                .ifPresent(parts.world()::propose);
    }
}
