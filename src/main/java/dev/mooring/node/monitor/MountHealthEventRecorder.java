package dev.mooring.node.monitor;

import dev.mooring.control.EventProposals;
import dev.mooring.model.Cause;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.Volume;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.world.World;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Records mount health Events on Pods, claims and volumes. Does not retry Events that cannot be written: the
 * ActualVolume has the same information. Any thread.
 */
final class MountHealthEventRecorder {
    private final String actor;
    private final WorkContext context;

    MountHealthEventRecorder(String actor, WorkContext context) {
        this.actor = actor;
        this.context = context;
    }

    /** Records a problem, with the kubelet's reason. */
    void recordAbnormal(ActualVolume volume, Mount mount, String message) {
        String name = mount.volumeName().isEmpty() ? volume.persistentVolume() : mount.volumeName();
        recordForAll(
                volume,
                mount,
                KubeEvent.Type.WARNING,
                EventReasons.VOLUME_CONDITION_ABNORMAL,
                "Volume " + name + ": " + message);
    }

    void recordNormal(ActualVolume volume, Mount mount) {
        recordForAll(
                volume,
                mount,
                KubeEvent.Type.NORMAL,
                EventReasons.VOLUME_CONDITION_NORMAL,
                "The Volume returns to the healthy state");
    }

    private void recordForAll(ActualVolume volume, Mount mount, KubeEvent.Type type, String reason, String message) {
        World world = context.world().world();
        for (ObjectKey each : involvedObjects(volume, mount)) {
            world.get(each)
                    .filter(object -> !isAnotherPod(object, mount))
                    .map(object -> new KubeEvent(InvolvedObject.of(object), type, reason, message, actor))
                    .flatMap(event -> EventProposals.recordEvent(
                            world, event, volume.cause(), context.clock().instant()))
                    .ifPresent(context.world()::propose);
        }
    }

    private static Set<ObjectKey> involvedObjects(ActualVolume volume, Mount mount) {
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

    /** Returns whether the object is a newer Pod with the same name. */
    private static boolean isAnotherPod(StoredObject object, Mount mount) {
        return object.key().resource().equals("pods")
                && !Pod.of(object).uid().equals(mount.pod().uid());
    }

    /** Records an Event on the Node. */
    void recordForNode(String node, KubeEvent.Type type, String reason, String message) {
        World world = context.world().world();
        Optional<StoredObject> object = world.get(ObjectKey.clusterWide("nodes", node));
        object.map(InvolvedObject::of)
                .map(involved -> new KubeEvent(involved, type, reason, message, actor))
                .flatMap(event -> EventProposals.recordEvent(
                        world, event, Cause.none(), context.clock().instant()))
                .ifPresent(context.world()::propose);
    }
}
