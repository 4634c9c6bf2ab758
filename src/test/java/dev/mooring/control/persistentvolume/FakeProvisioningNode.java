package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A fake of all nodes, with sets as disks. Like a real node it reports the start before it touches a disk, its
 * operations are idempotent, and it does nothing while the node is not ready or does not exist.
 */
final class FakeProvisioningNode implements Controller {
    /** The state that survives a crash. */
    static final class Disks {
        /** The provisioned volumes, as {@code node/uid}. */
        final Set<String> volumes = new TreeSet<>();

        /** The nodes on which provisioning fails half-way. */
        final Set<String> full = new TreeSet<>();

        /** The nodes on which deletion fails. */
        final Set<String> stuck = new TreeSet<>();
    }

    private final Disks disks;

    FakeProvisioningNode(Disks disks) {
        this.disks = disks;
    }

    @Override
    public String name() {
        return "node/fake";
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource("nodes"), Scope.resource(StorageNames.OPERATIONS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer enqueuer) {
        if (change.key().resource().equals("nodes")) {
            world.list(Scope.resource(StorageNames.OPERATIONS)).forEach(each -> enqueuer.enqueue(each.key()));
        } else if (!change.isRemoval()) {
            enqueuer.enqueue(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> found = world.get(key).map(VolumeOperation::of);
        boolean ready = found.flatMap(operation -> world.get(Node.key(operation.node())))
                .filter(node -> !Node.of(node).isKnownNotReady())
                .isPresent();
        if (!ready || found.get().hasSucceeded()) {
            return Decision.none();
        }
        VolumeOperation operation = found.get();
        if (operation.hasFailed() && operation.nextTry().filter(now::isBefore).isPresent()) {
            return Decision.none().requeueAt(operation.nextTry().get(), now);
        }
        ObjectNode next = operation.copy();
        ObjectNode status = next.withObject("/status");
        if (!operation.state().equals(VolumeOperation.RUNNING)) {
            status.put("state", VolumeOperation.RUNNING);
        } else if (ProvisionOperations.isProvision(operation)) {
            provision(operation, status, now);
        } else {
            remove(operation, status, now);
        }
        return Decision.of(Proposal.by("node/" + operation.node(), "VolumeOperationUpdated")
                .replace(operation.stored(), Draft.of(key, next))
                .build());
    }

    private void provision(VolumeOperation operation, ObjectNode status, Instant now) {
        disks.volumes.add(operation.node() + '/' + operation.volumeUid());
        if (disks.full.contains(operation.node())) {
            fail(status, "no space left on " + operation.node(), now);
            return;
        }
        status.remove("lastError");
        status.put("state", VolumeOperation.SUCCEEDED).put("capacity", "2Gi");
        status.putObject("source")
                .putObject("hostPath")
                .put("path", "/srv/" + operation.path())
                .put("type", "Directory");
    }

    private void remove(VolumeOperation operation, ObjectNode status, Instant now) {
        if (disks.stuck.contains(operation.node())) {
            fail(status, "device or resource busy", now);
            return;
        }
        disks.volumes.remove(operation.node() + '/' + operation.volumeUid());
        status.put("state", VolumeOperation.SUCCEEDED);
    }

    private static void fail(ObjectNode status, String message, Instant now) {
        status.put("state", VolumeOperation.FAILED);
        status.put("nextTry", now.plus(Duration.ofMinutes(1)).toString());
        status.put("attempts", status.path("attempts").asInt(0) + 1);
        status.putObject("lastError").put("message", message);
    }
}
