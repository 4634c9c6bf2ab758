package dev.mooring.control.persistentvolume;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.world.Index;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Completes what {@link Provisioning} started: either a volume for the claim, or nothing at all. An operation is
 * removed only together with its outcome: the volume is published, the result is removed, or the node is gone. So no
 * crash can leave untracked data on a disk, and a claim never gets a second volume.
 *
 * <p>Its keys are the operations whose names begin with {@code provision-}.
 */
public final class ProvisionController implements Controller {
    private static final String NODES = NodeChoice.NODES;

    /** Provision operations by the node that executes them. */
    private static final Index<String> BY_NODE = Index.of(
            "provision operations by node",
            Scope.resource(StorageNames.OPERATIONS),
            stored -> indexed(stored, VolumeOperation::node));

    /** Provision operations by the PersistentVolume that they provision. */
    private static final Index<String> BY_VOLUME = Index.of(
            "provision operations by PersistentVolume",
            Scope.resource(StorageNames.OPERATIONS),
            stored -> indexed(stored, VolumeOperation::volume));

    private final Map<String, Map<String, String>> defaults;

    /**
     * Creates the controller.
     *
     * @param defaults class parameters from the server's settings for classes that do not set them, by provisioner
     */
    public ProvisionController(Map<String, Map<String, String>> defaults) {
        this.defaults = defaults;
    }

    private static List<String> indexed(StoredObject stored, Function<VolumeOperation, String> value) {
        return ProvisionOperations.isProvisionOperation(stored.key())
                ? List.of(value.apply(VolumeOperation.of(stored)))
                : List.of();
    }

    @Override
    public String name() {
        return StorageNames.VOLUME_CONTROLLER_NAME;
    }

    @Override
    public String metricName() {
        return "provisioner";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(
                Scope.resource(NODES),
                Scope.resource(StorageNames.VOLUMES),
                Scope.resource(StorageNames.CLAIMS),
                Scope.resource(StorageNames.OPERATIONS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        switch (change.key().resource()) {
            case StorageNames.OPERATIONS -> onOperationChange(change, queue);
            case StorageNames.CLAIMS -> onClaimChange(change, world, queue);
            case StorageNames.VOLUMES ->
                world.index(BY_VOLUME).keys(change.key().name()).forEach(queue::enqueue);
            default -> onNodeChange(change, before, world, queue);
        }
    }

    private static void onOperationChange(Change change, Enqueuer queue) {
        if (ProvisionOperations.isProvisionOperation(change.key()) && !change.isRemoval()) {
            queue.enqueue(change.key());
        }
    }

    /**
     * Enqueues the claim's operation. Most claims have none; an operation created later is enqueued by its own change.
     */
    private static void onClaimChange(Change change, World world, Enqueuer queue) {
        String uid = StoredJson.uid(change.object());
        if (!uid.isEmpty()) {
            ObjectKey key = ProvisionOperations.key(uid);
            if (world.get(key).isPresent()) {
                queue.enqueue(key);
            }
        }
    }

    /** Enqueues the node's operations, and those of unavailable nodes, which may move to it. */
    private static void onNodeChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (!change.isRemoval()
                && before.isPresent()
                && isEquivalent(Node.of(before.get()), Node.of(change.object()))) {
            return;
        }
        String name = change.key().name();
        world.index(BY_NODE)
                .all()
                .filter(each -> each.value().equals(name) || !ProvisionMessages.isReady(world, each.value()))
                .forEach(each -> queue.enqueue(each.key()));
    }

    private static boolean isEquivalent(Node before, Node after) {
        return before.isKnownNotReady() == after.isKnownNotReady()
                && before.isCordoned() == after.isCordoned()
                && before.isBeingDeleted() == after.isBeingDeleted()
                && before.labels().equals(after.labels())
                && before.volumeBases().equals(after.volumeBases());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> operation = world.get(key).map(VolumeOperation::of);
        Optional<OperationType> work = operation.flatMap(VolumeOperation::operationType);
        if (work.isEmpty()) {
            return Decision.none();
        }
        return switch (work.get()) {
            case PROVISION -> new ProvisionSync(world, operation.get(), defaults, now).sync();
            case DELETE -> new DeleteSync(world, operation.get(), now).sync();
            default -> Decision.none();
        };
    }
}
