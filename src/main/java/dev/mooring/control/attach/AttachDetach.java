package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.control.attach.Remembered.Update;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has volumes attached to the nodes whose Pods need them, and detached when nobody there does any more: makes and deletes
 * VolumeAttachments for PersistentVolumes with a {@code csi} source, and keeps {@code volumesAttached} of the nodes in step. Who
 * attaches is somebody else: for {@code block.mooring.dev} the node itself, for other drivers their own attachers.
 *
 * <p>Looked at by volume it attaches, looked at by node it detaches; so detaching many volumes from one node does not make them race for
 * the Node. A volume that one node only may have is attached to another when the attachment to the first is gone, not before, and the
 * Pod that waits is told who has it.
 *
 * <p>A volume is detached when no Pod on the node needs it, the node does not list it as in use, and no ActualVolume of that
 * node says that it is or may be mounted. It leaves {@code volumesAttached} first, and the attachment is deleted only while the
 * Node is as it was seen then, so that nobody mounts in between what is being detached. A node that has the taint
 * {@code node.kubernetes.io/out-of-service} is not waited for, nor are its Pods that are being deleted. That a node has
 * not been ready for a while (in Kubernetes: 6 minutes) is no reason to detach unless it is configured: whether the machine has
 * stopped writing, only a person can know.
 *
 * <p>There are no CSIDriver objects, so every driver is taken to want attachments.
 */
public final class AttachDetach implements Controller {
    static final String NAME = "attachdetach-controller";
    static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    private final Optional<Duration> forceDetachAfter;
    private final AttachIndex index = new AttachIndex();

    /** One that never detaches by force, unless a node is said to be out of service. */
    public AttachDetach() {
        this(Optional.empty());
    }

    /** @param forceDetachAfter for how long a node must not have been ready for its volumes to be detached although it may use them */
    public AttachDetach(Optional<Duration> forceDetachAfter) {
        this.forceDetachAfter = forceDetachAfter;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return Stream.of(
                        StorageNames.VOLUMES,
                        StorageNames.CLAIMS,
                        StorageNames.ATTACHMENTS,
                        StorageNames.ACTUAL_VOLUMES,
                        PODS,
                        NODES)
                .map(Scope::resource)
                .toList();
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case PODS -> followPod(index.pod(change), wakes);
            case NODES -> followNode(change, before, world, wakes);
            case StorageNames.VOLUMES -> {
                if (index.volume(change).isNews()) {
                    wakeWithNodes(change.key(), world, wakes);
                }
            }
            case StorageNames.CLAIMS ->
                index.volumesOf(change.key()).forEach(volume -> wakeWithNodes(volume, world, wakes));
            case StorageNames.ATTACHMENTS -> followAttachment(index.attachment(change), wakes);
            case StorageNames.ACTUAL_VOLUMES -> followHold(index.hold(change), wakes);
            default ->
                throw new IllegalArgumentException(
                        "Expected to be told of what was asked for, but was told of " + change.key());
        }
    }

    /** Of a Pod's many changes few matter here. */
    private void followPod(Update<PodUse> pod, Wakes wakes) {
        if (!pod.isNews()) {
            return;
        }
        Stream.concat(pod.before().stream(), pod.after().stream()).forEach(use -> {
            boolean attachable = false;
            for (ObjectKey claim : use.claims()) {
                for (ObjectKey volume : index.volumesOf(claim)) {
                    wakes.now(volume);
                    attachable = true;
                }
            }
            if (attachable) {
                wakes.now(Node.key(use.node()));
            }
        });
    }

    private void followNode(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        String node = change.key().name();
        if (!index.keysOfAttachmentsOn(node).isEmpty() || StoredJson.mentions(change.object(), Detaching.ATTACHED)) {
            wakes.now(change.key());
        }
        boolean servedBefore = before.isPresent() && !AttachIndex.isOutOfService(before);
        boolean serves = !change.isRemoval() && !AttachIndex.isOutOfService(Optional.of(change.object()));
        if (serves && !servedBefore) {
            index.volumesOfPodsOn(world, node).forEach(wakes::now);
        }
    }

    private void wakeWithNodes(ObjectKey volume, World world, Wakes wakes) {
        wakes.now(volume);
        index.nodesOf(world, volume.name()).forEach(node -> wakes.now(Node.key(node)));
    }

    private static void followAttachment(Update<Attachment> attachment, Wakes wakes) {
        if (attachment.isNews()) {
            attachment.after().or(attachment::before).ifPresent(each -> {
                wakes.now(Volume.key(each.volume()));
                wakes.now(Node.key(each.node()));
            });
        }
    }

    private static void followHold(Update<Hold> hold, Wakes wakes) {
        if (hold.isNews()) {
            hold.before().filter(each -> !each.node().isEmpty()).ifPresent(each -> wakes.now(Node.key(each.node())));
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(NODES)) {
            return new Detaching(index, world, key, now).decide(forceDetachAfter);
        }
        return world.get(key)
                .flatMap(stored -> index.volume(world, key.name())
                        .map(volume -> new Attaching(index, world, stored, volume, now).decide()))
                .orElse(Decision.nothing());
    }

    static boolean isOutOfService(Node node) {
        for (JsonNode taint : node.taints()) {
            if (taint.path("key").asText("").equals(OUT_OF_SERVICE)) {
                return true;
            }
        }
        return false;
    }
}
