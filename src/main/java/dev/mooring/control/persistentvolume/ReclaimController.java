package dev.mooring.control.persistentvolume;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Applies the reclaim policy to volumes whose claim is gone: retains the volume, deletes its data and then the volume,
 * or scrubs it and makes it Available again. A node executes the work as a VolumeOperation. It starts when no node uses
 * the volume any more, and its result is committed in one event with the removal of the operation. So the objects
 * always show the progress.
 */
public final class ReclaimController implements Controller {
    static final String NAME = StorageNames.VOLUME_CONTROLLER_NAME;

    private static final Scope VOLUMES = Scope.resource(StorageNames.VOLUMES);
    private static final Scope CLAIMS = Scope.resource(StorageNames.CLAIMS);
    private static final Scope OPERATIONS = Scope.resource(StorageNames.OPERATIONS);

    /** Key of volumes that never had a claim; any claim may still name them. */
    private static final ObjectKey NO_CLAIM = new ClaimRef("", "", "").key();

    /** Volumes to be reclaimed by their last claim. */
    private static final Index<ObjectKey> RELEASED_BY_CLAIM =
            Index.of("PersistentVolumes to reclaim by claim", VOLUMES, ReclaimController::lastClaim);

    /** Delete and scrub operations by volume. */
    private static final Index<ObjectKey> OPERATIONS_BY_VOLUME =
            Index.of("reclaim operations by PersistentVolume", OPERATIONS, ReclaimController::volumeOf);

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String metricName() {
        return "reclaimer";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                VOLUMES,
                CLAIMS,
                OPERATIONS,
                Indexes.PODS_BY_CLAIM.scope(),
                Indexes.ACTUAL_VOLUMES_BY_REFERENCE.scope(),
                Indexes.ATTACHMENTS_BY_VOLUME.scope(),
                ReclaimNode.NODES);
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        ObjectKey key = change.key();
        if (VOLUMES.contains(key)) {
            onVolumeChange(change, before, world, queue);
        } else if (CLAIMS.contains(key)) {
            enqueueReleased(key, world, queue);
            if (change.isRemoval()) {
                // The claim may have held a volume that does not name it.
                enqueueReleased(NO_CLAIM, world, queue);
            }
        } else if (OPERATIONS.contains(key)) {
            OPERATIONS_BY_VOLUME.affectedBy(change, before).forEach(queue::enqueue);
        } else if (Indexes.PODS_BY_CLAIM.scope().contains(key)) {
            Indexes.PODS_BY_CLAIM.affectedBy(change, before).forEach(claim -> enqueueReleased(claim, world, queue));
        } else if (!ReclaimNode.NODES.contains(key)) {
            Index<ObjectKey> index = Indexes.ATTACHMENTS_BY_VOLUME.scope().contains(key)
                    ? Indexes.ATTACHMENTS_BY_VOLUME
                    : Indexes.ACTUAL_VOLUMES_BY_REFERENCE;
            for (ObjectKey touched : index.affectedBy(change, before)) {
                if (VOLUMES.contains(touched)
                        && world.get(touched)
                                .filter(ReclaimController::isReleased)
                                .isPresent()) {
                    queue.enqueue(touched);
                }
            }
        } else if (isNodeChanged(change, before)) {
            world.index(RELEASED_BY_CLAIM).all().forEach(each -> queue.enqueue(each.key()));
        }
    }

    private static void enqueueReleased(ObjectKey claim, World world, Enqueuer queue) {
        world.index(RELEASED_BY_CLAIM).keys(claim).forEach(queue::enqueue);
    }

    private static boolean isReleased(StoredObject volume) {
        return !RELEASED_BY_CLAIM.valuesOf(volume).isEmpty();
    }

    private static void onVolumeChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        boolean released = !RELEASED_BY_CLAIM.affectedBy(change, before).isEmpty();
        boolean ordered = !world.index(OPERATIONS_BY_VOLUME).keys(change.key()).isEmpty();
        boolean outOfStep = !change.isRemoval()
                && change.object().containsText(StorageNames.PROVISIONED_BY)
                && DeletionProtectionFinalizer.updated(Volume.of(change.object()))
                        .isPresent();
        if (released || ordered || outOfStep) {
            queue.enqueue(change.key());
        }
    }

    /** Returns whether a node was added or removed, changed its labels, or changed its readiness. */
    private static boolean isNodeChanged(Change change, Optional<StoredObject> before) {
        if (change.isRemoval() || before.isEmpty()) {
            return true;
        }
        Node was = Node.of(before.get());
        Node is = Node.of(change.object());
        return was.isKnownNotReady() != is.isKnownNotReady() || !was.labels().equals(is.labels());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        List<VolumeOperation> found = world.find(OPERATIONS_BY_VOLUME, key).stream()
                .map(VolumeOperation::of)
                .toList();
        Optional<Volume> volume = world.get(key).map(Volume::of);
        OrphanedOperations leftovers = new OrphanedOperations(volume, found);
        if (volume.isEmpty() || !leftovers.isEmpty()) {
            return Decision.of(leftovers.removals());
        }
        return new ReclaimSync(world, volume.get(), now).sync();
    }

    /**
     * Returns the claims whose changes affect a volume to be reclaimed. A claimRef without uid may name another claim
     * than the one that was bound to the volume and still names it.
     */
    private static List<ObjectKey> lastClaim(StoredObject object) {
        boolean may = object.containsText("\"Released\"")
                || object.containsText("\"Failed\"")
                || object.containsText("deletionTimestamp");
        if (!may) {
            return List.of();
        }
        Volume volume = Volume.of(object);
        boolean waits = volume.phase().equals("Released")
                || volume.phase().equals("Failed")
                || ReclaimSync.isDeletedUnclaimed(volume);
        if (!waits) {
            return List.of();
        }
        List<ObjectKey> claims = new ArrayList<>();
        volume.claimRef().map(ClaimRef::key).ifPresent(claims::add);
        if (volume.claimRef().filter(ClaimRef::hasUid).isEmpty()) {
            claims.add(NO_CLAIM);
        }
        return claims;
    }

    private static List<ObjectKey> volumeOf(StoredObject operation) {
        return ReclaimOperations.isReclaimOperation(operation.key())
                ? Lookup.volumeKey(VolumeOperation.of(operation).volume()).stream()
                        .toList()
                : List.of();
    }
}
