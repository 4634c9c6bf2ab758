package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.resource.OptimisticCommitter.ProposeAndRespond;
import dev.mooring.api.resource.OptimisticCommitter.RespondOnly;
import dev.mooring.api.resource.OptimisticCommitter.WriteDecision;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import dev.mooring.world.Proposal.Allowance;
import java.util.List;
import java.util.Set;

/** Decides how an object is deleted. Makes decisions only and changes nothing. Thread-safe. */
final class DeleteStrategy {
    /** Namespaces that cannot be deleted, as in Kubernetes. */
    private static final Set<String> KEPT_NAMESPACES = Set.of("default", "kube-node-lease", "kube-system");

    private static final long DEFAULT_POD_GRACE_SECONDS = 30;

    private final WriteStrategy writeStrategy;

    DeleteStrategy(WriteStrategy writeStrategy) {
        this.writeStrategy = writeStrategy;
    }

    WriteDecision delete(ResourceRef target, StoredObject seen, DeleteOptions how, WriteOptions options) {
        ObjectNode object = ObjectJson.tree(seen);
        require(target, object, how);
        writeStrategy.admitDelete(target, seen, options);
        ObjectNode held = withFinalizer(object, how);
        Deletion deletion = Deletion.of(held, graceSeconds(target, object, how), writeStrategy.now());
        if (deletion instanceof Deletion.Removed) {
            // Built here, so that a pending response does not hold the object.
            WriteResponse removed = deletedResponse(target, object);
            return writeStrategy.removal(target, seen, options, stored -> removed);
        }
        if (deletion instanceof Deletion.Pending) {
            return new RespondOnly(WriteResponse.ok(seen, List.of()));
        }
        ObjectNode marked = ((Deletion.Marked) deletion).object();
        if (options.isDryRun()) {
            return new RespondOnly(new WriteResponse(200, ObjectJson.bytes(marked), List.of()));
        }
        Proposal proposal = WriteStrategy.proposal(target.kind(), "DeletionRequested", options)
                .within(Allowance.DELETION)
                .replace(seen, Draft.of(seen.key(), marked))
                .build();
        return new ProposeAndRespond(proposal, 0, stored -> WriteResponse.ok(stored, List.of()));
    }

    private static void require(ResourceRef target, ObjectNode object, DeleteOptions how) {
        JsonNode metadata = object.path("metadata");
        String uid = ObjectJson.text(metadata, "uid");
        if (!how.uid().isEmpty() && !how.uid().equals(uid)) {
            throw new StatusException(target.conflict(
                    "Precondition failed: UID in precondition: " + how.uid() + ", UID in object meta: " + uid));
        }
        String revision = ObjectJson.text(metadata, "resourceVersion");
        if (!how.resourceVersion().isEmpty() && !how.resourceVersion().equals(revision)) {
            throw new StatusException(target.conflict("Precondition failed: ResourceVersion in precondition: "
                    + how.resourceVersion() + ", ResourceVersion in object meta: " + revision));
        }
        String name = ObjectJson.text(metadata, "name");
        if (target.kind().resource().equals("namespaces") && KEPT_NAMESPACES.contains(name)) {
            throw new StatusException(target.forbidden(name, "this namespace may not be deleted"));
        }
    }

    /** Adds the finalizer with which the garbage collector handles the dependents before the owner is removed. */
    private static ObjectNode withFinalizer(ObjectNode object, DeleteOptions how) {
        String finalizer = how.propagation().finalizer();
        if (finalizer.isEmpty() || object.path("metadata").hasNonNull("deletionTimestamp")) {
            return object;
        }
        ObjectNode held = object.deepCopy();
        ArrayNode finalizers = ObjectJson.metadata(held).withArray("finalizers");
        for (JsonNode each : finalizers) {
            if (each.asText().equals(finalizer)) {
                return held;
            }
        }
        finalizers.add(finalizer);
        return held;
    }

    /** Returns the grace period: only a Pod that is bound to a node has one. */
    private static long graceSeconds(ResourceRef target, ObjectNode object, DeleteOptions how) {
        if (!target.kind().resource().equals("pods")) {
            return 0;
        }
        String phase = ObjectJson.text(object.path("status"), "phase");
        boolean runs = !ObjectJson.text(object.path("spec"), "nodeName").isEmpty()
                && !phase.equals("Succeeded")
                && !phase.equals("Failed");
        long asked = how.graceSeconds()
                .orElseGet(() -> object.path("spec")
                        .path("terminationGracePeriodSeconds")
                        .asLong(DEFAULT_POD_GRACE_SECONDS));
        return runs ? Math.min(Math.max(asked < 0 ? 1 : 0, asked), Integer.MAX_VALUE) : 0;
    }

    private static WriteResponse deletedResponse(ResourceRef target, ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        Status.Details about = target.details(ObjectJson.text(metadata, "name"));
        Status done = new Status(
                200,
                "",
                "",
                new Status.Details(
                        about.name(), about.group(), about.kind(), ObjectJson.text(metadata, "uid"), List.of(), 0));
        return WriteResponse.of(done, List.of());
    }
}
