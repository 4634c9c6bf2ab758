package dev.mooring.control.provision;

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
 * All nodes at once, with disks that are sets. As a real one does, it says that it begins before it touches a disk, what it does may be
 * done twice, and it does nothing while its node is not ready or not there.
 */
final class FakeNode implements Controller {
    /** What survives a crash. */
    static final class Disks {
        /** What was made, as {@code node/uid}. */
        final Set<String> made = new TreeSet<>();

        /** The nodes on which nothing can be made, though half of it is. */
        final Set<String> full = new TreeSet<>();

        /** The nodes on which nothing can be removed. */
        final Set<String> stuck = new TreeSet<>();
    }

    private final Disks disks;

    FakeNode(Disks disks) {
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
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (change.key().resource().equals("nodes")) {
            world.list(Scope.resource(StorageNames.OPERATIONS)).forEach(each -> wakes.now(each.key()));
        } else if (!change.isRemoval()) {
            wakes.now(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<VolumeOperation> found = world.get(key).map(VolumeOperation::of);
        boolean ready = found.flatMap(operation -> world.get(Node.key(operation.node())))
                .filter(node -> !Node.of(node).isKnownNotReady())
                .isPresent();
        if (!ready || found.get().hasSucceeded()) {
            return Decision.nothing();
        }
        VolumeOperation operation = found.get();
        if (operation.hasFailed() && operation.nextTry().filter(now::isBefore).isPresent()) {
            return Decision.nothing().lookAgainAt(operation.nextTry().get(), now);
        }
        ObjectNode next = operation.copy();
        ObjectNode status = next.withObject("/status");
        if (!operation.state().equals(VolumeOperation.RUNNING)) {
            status.put("state", VolumeOperation.RUNNING);
        } else if (Operations.isProvision(operation)) {
            make(operation, status, now);
        } else {
            remove(operation, status, now);
        }
        return Decision.of(Proposal.by("node/" + operation.node(), "VolumeOperationUpdated")
                .replace(operation.stored(), Draft.of(key, next))
                .build());
    }

    private void make(VolumeOperation operation, ObjectNode status, Instant now) {
        disks.made.add(operation.node() + '/' + operation.volumeUid());
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
        disks.made.remove(operation.node() + '/' + operation.volumeUid());
        status.put("state", VolumeOperation.SUCCEEDED);
    }

    private static void fail(ObjectNode status, String message, Instant now) {
        status.put("state", VolumeOperation.FAILED);
        status.put("nextTry", now.plus(Duration.ofMinutes(1)).toString());
        status.put("attempts", status.path("attempts").asInt(0) + 1);
        status.putObject("lastError").put("message", message);
    }
}
