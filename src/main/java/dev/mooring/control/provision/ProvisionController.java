package dev.mooring.control.provision;

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
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Sees to it that what {@link Provisioning} has begun comes to an end: a volume for the claim, or nothing at all. An operation leaves the World
 * only together with its outcome: the volume becomes visible, what was made is gone again, or its node is. So there is no moment at which a
 * crash leaves something on a disk that nobody knows of, and no second volume for one claim.
 *
 * <p>Its keys are the operations whose names begin with {@code provision-}.
 */
public final class ProvisionController implements Controller {
    private static final String NODES = NodeChoice.NODES;

    private final OperationIndex operations = new OperationIndex();

    @Override
    public String name() {
        return StorageNames.VOLUME_CONTROLLER_NAME;
    }

    @Override
    public String part() {
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
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        switch (change.key().resource()) {
            case StorageNames.OPERATIONS -> followOperation(change, wakes);
            case StorageNames.CLAIMS -> followClaim(change, world, wakes);
            case StorageNames.VOLUMES ->
                operations.ofVolume(change.key().name()).forEach(wakes::now);
            default -> followNode(change, before, world, wakes);
        }
    }

    private void followOperation(Change change, Wakes wakes) {
        if (Operations.isOurs(change.key())) {
            operations.follow(change);
            if (!change.isRemoval()) {
                wakes.now(change.key());
            }
        }
    }

    /** Most claims have no operation, and one that gets one later is woken by that. */
    private static void followClaim(Change change, World world, Wakes wakes) {
        String uid = StoredJson.uid(change.object());
        if (!uid.isEmpty()) {
            ObjectKey key = Operations.key(uid);
            if (world.get(key).isPresent()) {
                wakes.now(key);
            }
        }
    }

    /** Its own operations may have a future again, or none; those of nodes that are away may go to it. */
    private void followNode(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (!change.isRemoval() && before.isPresent() && isAsGood(Node.of(before.get()), Node.of(change.object()))) {
            return;
        }
        String name = change.key().name();
        for (String each : operations.nodes()) {
            if (each.equals(name) || !Words.isReady(world, each)) {
                operations.ofNode(each).forEach(wakes::now);
            }
        }
    }

    private static boolean isAsGood(Node before, Node after) {
        return before.isKnownNotReady() == after.isKnownNotReady()
                && before.isCordoned() == after.isCordoned()
                && before.isBeingDeleted() == after.isBeingDeleted()
                && before.labels().equals(after.labels());
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> operation = world.get(key).map(VolumeOperation::of);
        Optional<Work> work = operation.flatMap(VolumeOperation::work);
        if (work.isEmpty()) {
            return Decision.nothing();
        }
        return switch (work.get()) {
            case PROVISION -> new Making(world, operation.get(), now).decide();
            case DELETE -> new Removing(world, operation.get(), now).decide();
            default -> Decision.nothing();
        };
    }
}
