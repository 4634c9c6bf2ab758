package dev.mooring.control.persistentvolume;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Index;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The PersistentVolumeController: binds claims to volumes and keeps their references consistent.
 *
 * <p>A claim looks for a volume ({@link ClaimSync}), and a volume that becomes available looks for a claim
 * ({@link VolumeSync}), so neither waits for the other to be reconciled again. One event binds both. Half-written
 * bindings of other tools are completed or reverted.
 *
 * <p>The indexes of the World answer every search. {@link BinderCache} holds what the World does not contain.
 */
public final class PersistentVolumeController implements Controller {
    private static final String PODS = "pods";
    private static final String NODES = "nodes";

    /** Limit of waiting claims whose status message is refreshed after a volume changed that does not match them. */
    private static final int MAX_STATUS_REFRESHES = 100;

    /** Delay of that refresh; coalesces the creation of many volumes. */
    private static final Duration STATUS_REFRESH_DELAY = Duration.ofSeconds(1);

    /**
     * Delay before the first status of an unmatched new volume or claim is written. Volume and claim are often created
     * together, and then the binding is the first write.
     */
    static final Duration NEW_OBJECT_DELAY = Duration.ofMillis(10);

    /** Class of the claims that set none. */
    private static final String NO_CLASS = "";

    /** Unbound claims by the revision of their last change. */
    private static final Index<Long> UNBOUND_BY_AGE = Index.of(
            "unbound claims by revision",
            Scope.resource(StorageNames.CLAIMS),
            stored -> isUnbound(stored) ? List.of(stored.revision()) : List.of());

    /** Unbound claims by the class they request. */
    private static final Index<String> UNBOUND_BY_CLASS = Index.of(
            "unbound claims by class",
            Scope.resource(StorageNames.CLAIMS),
            stored -> isUnbound(stored) ? List.of(Claim.of(stored).className().orElse(NO_CLASS)) : List.of());

    private final BinderCache cache = new BinderCache();

    /** The World whose unbound claims were enqueued last; at the start, all changes come with one World. */
    private long refreshedRevision = -1;

    private static boolean isUnbound(StoredObject claim) {
        return !claim.containsText(StorageNames.BIND_COMPLETED)
                || !Claim.of(claim).isBindCompleted();
    }

    @Override
    public String name() {
        return StorageNames.VOLUME_CONTROLLER_NAME;
    }

    @Override
    public String metricName() {
        return "binder";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.CLASSES),
                Scope.resource(StorageNames.OPERATIONS),
                Scope.resource(PODS),
                Scope.resource(NODES));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case StorageNames.VOLUMES -> onVolumeChange(change, before, world, queue);
            case StorageNames.CLAIMS -> onClaimChange(change, before, world, queue);
            case StorageNames.CLASSES -> onClassChange(change, world, queue);
            case StorageNames.OPERATIONS -> onOperationChange(change, world, queue);
            case PODS -> onPodChange(change, before, world, queue);
            default -> onNodeChange(change, before, world, queue);
        }
    }

    private void onVolumeChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        cache.updateVolume(change, world);
        if (!change.isRemoval()) {
            queue.enqueue(change.key());
        }
        Indexes.VOLUMES_BY_CLAIM.affectedBy(change, before).forEach(queue::enqueue);
        enqueueClaimsNaming(change.key().name(), world, queue);
        if (world.revision() != refreshedRevision) {
            refreshedRevision = world.revision();
            world.index(UNBOUND_BY_AGE)
                    .all()
                    .limit(MAX_STATUS_REFRESHES)
                    .forEach(claim -> queue.enqueueWithin(claim.key(), STATUS_REFRESH_DELAY));
        }
    }

    private void onClaimChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        cache.updateClaim(change, before, world);
        world.index(Indexes.VOLUMES_BY_CLAIM).keys(change.key()).forEach(queue::enqueue);
        before.map(Claim::of).ifPresent(claim -> enqueueVolume(claim, queue));
        if (change.isRemoval()) {
            cache.assumptions().forgetClaim(change.key()).ifPresent(queue::enqueue);
            enqueueVolume(Claim.of(change.object()), queue);
        } else {
            queue.enqueue(change.key());
        }
    }

    private static void enqueueVolume(Claim claim, Enqueuer queue) {
        Lookup.volumeKey(claim.volumeName()).ifPresent(queue::enqueue);
    }

    private static void enqueueClaimsNaming(String volume, World world, Enqueuer queue) {
        enqueueOldestFirst(world.find(Indexes.CLAIMS_BY_VOLUME, volume), queue);
    }

    /** Enqueues claims, oldest change first. */
    private static void enqueueOldestFirst(List<StoredObject> claims, Enqueuer queue) {
        claims.stream()
                .sorted(Comparator.comparingLong(StoredObject::revision))
                .forEach(claim -> queue.enqueue(claim.key()));
    }

    private static void onClassChange(Change change, World world, Enqueuer queue) {
        String name = change.key().name();
        enqueueOldestFirst(world.find(UNBOUND_BY_CLASS, name), queue);
        if (!change.isRemoval()) {
            enqueueOldestFirst(world.find(UNBOUND_BY_CLASS, NO_CLASS), queue);
        }
        VolumeEntry.ofClass(world, name).forEach(volume -> queue.enqueue(Volume.key(volume.name())));
    }

    /** Enqueues the claims and the volume of an operation that was removed. */
    private static void onOperationChange(Change change, World world, Enqueuer queue) {
        if (change.isRemoval()) {
            VolumeOperation operation = VolumeOperation.of(change.object());
            operation.claim().map(ClaimRef::key).ifPresent(queue::enqueue);
            Lookup.volumeKey(operation.volume()).ifPresent(queue::enqueue);
            enqueueClaimsNaming(operation.volume(), world, queue);
        }
    }

    private static void onPodChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        for (ObjectKey claim : Indexes.PODS_BY_CLAIM.affectedBy(change, before)) {
            if (world.get(claim)
                    .filter(each -> !UNBOUND_BY_AGE.valuesOf(each).isEmpty())
                    .isPresent()) {
                queue.enqueue(claim);
            }
        }
    }

    /** Enqueues what depends on where volumes can be reached or provisioned. */
    private static void onNodeChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        boolean isUnaffected = !change.isRemoval()
                && before.map(Node::of)
                        .filter(node -> isEquivalent(node, Node.of(change.object())))
                        .isPresent();
        if (!isUnaffected) {
            world.index(VolumeEntry.WITH_NODE_AFFINITY)
                    .keys(true)
                    .forEach(volume -> queue.enqueueWithin(volume, STATUS_REFRESH_DELAY));
            world.index(UNBOUND_BY_AGE).all().forEach(claim -> queue.enqueueWithin(claim.key(), STATUS_REFRESH_DELAY));
        }
    }

    private static boolean isEquivalent(Node before, Node after) {
        return before.labels().equals(after.labels())
                && before.isCordoned() == after.isCordoned()
                && before.isKnownNotReady() == after.isKnownNotReady();
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<StoredObject> found = world.get(key);
        if (found.isEmpty()) {
            return Decision.none();
        }
        return key.resource().equals(StorageNames.CLAIMS)
                ? new ClaimSync(world, Claim.of(found.get()), cache, now).sync()
                : new VolumeSync(world, Volume.of(found.get()), cache, now).sync();
    }
}
