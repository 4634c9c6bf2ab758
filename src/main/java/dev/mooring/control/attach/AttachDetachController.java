package dev.mooring.control.attach;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.attach.NodeVolumesInUse.MountedVolume;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The attach/detach controller: creates and deletes VolumeAttachments for PersistentVolumes with a {@code csi} source
 * and keeps the {@code volumesAttached} of nodes up to date. The attaching itself is done by the node for
 * {@code block.mooring.dev}, and by the external attacher for other drivers.
 *
 * <p>A volume key attaches, a node key detaches; so detaching many volumes from one node causes no conflicts on the
 * Node. A volume that only one node may have is attached to another node only after the first attachment is gone. The
 * waiting Pod gets an Event that names the node that has the volume.
 *
 * <p>A volume is detached when no Pod on the node needs it, the node does not list it as in use, and no ActualVolume of
 * that node says that it is or may be mounted. The controller removes it from {@code volumesAttached} first, and
 * deletes the attachment only if the Node has not changed since, so that the node cannot mount a volume that is being
 * detached. The controller does not wait for a node with the taint {@code node.kubernetes.io/out-of-service}, nor for
 * its terminating Pods. A node that is not ready (in Kubernetes: for 6 minutes) is not force-detached unless that is
 * configured, because only an operator can know whether the machine has stopped writing.
 *
 * <p>There are no CSIDriver objects, so every driver is assumed to require attachments.
 */
public final class AttachDetachController implements Controller {
    static final String NAME = "attachdetach-controller";
    static final String OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    private final Optional<Duration> forceDetachAfter;

    /** Creates a controller that force-detaches only from nodes with the out-of-service taint. */
    public AttachDetachController() {
        this(Optional.empty());
    }

    /**
     * @param forceDetachAfter how long a node must be not ready before its volumes are detached although they may be in
     *     use
     */
    public AttachDetachController(Optional<Duration> forceDetachAfter) {
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
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        Optional<StoredObject> after = Optional.of(change.object()).filter(unused -> !change.isRemoval());
        switch (change.key().resource()) {
            case PODS -> onPodChange(before.flatMap(PodClaimUse::of), after.flatMap(PodClaimUse::of), world, queue);
            case NODES -> onNodeChange(change, before, after, world, queue);
            case StorageNames.VOLUMES -> {
                if (!before.flatMap(CsiVolume::of).equals(after.flatMap(CsiVolume::of))) {
                    enqueueWithNodes(change.key(), world, queue);
                }
            }
            case StorageNames.CLAIMS ->
                CsiVolume.boundTo(world, change.key()).forEach(volume -> enqueueWithNodes(volume, world, queue));
            case StorageNames.ATTACHMENTS ->
                onAttachmentChange(before.flatMap(Attachment::of), after.flatMap(Attachment::of), queue);
            case StorageNames.ACTUAL_VOLUMES -> {
                Optional<MountedVolume> mounted = before.flatMap(NodeVolumesInUse::mounted);
                if (!mounted.equals(after.flatMap(NodeVolumesInUse::mounted))) {
                    mounted.filter(each -> !each.node().isEmpty())
                            .ifPresent(each -> queue.enqueue(Node.key(each.node())));
                }
            }
            default ->
                throw new IllegalArgumentException("Received a change outside of the watched scopes: " + change.key());
        }
    }

    /** Enqueues only on changes that affect attachments. */
    private static void onPodChange(
            Optional<PodClaimUse> before, Optional<PodClaimUse> after, World world, Enqueuer queue) {
        if (before.equals(after)) {
            return;
        }
        Stream.concat(before.stream(), after.stream()).forEach(use -> {
            boolean attachable = false;
            for (ObjectKey claim : use.claims()) {
                for (ObjectKey volume : CsiVolume.boundTo(world, claim)) {
                    queue.enqueue(volume);
                    attachable = true;
                }
            }
            if (attachable) {
                queue.enqueue(Node.key(use.node()));
            }
        });
    }

    private static void onNodeChange(
            Change change, Optional<StoredObject> before, Optional<StoredObject> after, World world, Enqueuer queue) {
        String node = change.key().name();
        if (change.object().containsText(DetachSync.ATTACHED)
                || !Attachment.toNode(world, node).isEmpty()) {
            queue.enqueue(change.key());
        }
        boolean servedBefore = before.isPresent() && !isOutOfService(before);
        boolean serves = after.isPresent() && !isOutOfService(after);
        if (serves && !servedBefore) {
            world.find(Indexes.PODS_BY_NODE, node).stream()
                    .flatMap(pod -> PodClaimUse.of(pod).stream())
                    .flatMap(use -> use.claims().stream())
                    .flatMap(claim -> CsiVolume.boundTo(world, claim).stream())
                    .forEach(queue::enqueue);
        }
    }

    private static void enqueueWithNodes(ObjectKey volume, World world, Enqueuer queue) {
        queue.enqueue(volume);
        Attachment.ofVolume(world, volume.name()).forEach(each -> queue.enqueue(Node.key(each.node())));
    }

    private static void onAttachmentChange(Optional<Attachment> before, Optional<Attachment> after, Enqueuer queue) {
        if (!before.equals(after)) {
            after.or(() -> before).ifPresent(each -> {
                queue.enqueue(Volume.key(each.volume()));
                queue.enqueue(Node.key(each.node()));
            });
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.resource().equals(NODES)) {
            return new DetachSync(world, key, now).sync(forceDetachAfter);
        }
        return world.get(key)
                .flatMap(
                        stored -> CsiVolume.of(stored).map(volume -> new AttachSync(world, stored, volume, now).sync()))
                .orElse(Decision.none());
    }

    static boolean isOutOfService(Optional<StoredObject> node) {
        return node.filter(found -> found.containsText(OUT_OF_SERVICE) && isOutOfService(Node.of(found)))
                .isPresent();
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
