package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.resource.Commits.Commit;
import dev.mooring.api.resource.Commits.Done;
import dev.mooring.api.resource.Commits.Step;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.Draft;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import java.util.List;
import java.util.Set;

/** What becomes of an object that somebody wants to have deleted. Decides and changes nothing. Thread-safe. */
final class Deleting {
    /** As in Kubernetes: the system needs them. */
    private static final Set<String> KEPT_NAMESPACES = Set.of("default", "kube-node-lease", "kube-system");

    private static final long DEFAULT_POD_GRACE_SECONDS = 30;

    private final Writing writing;

    Deleting(Writing writing) {
        this.writing = writing;
    }

    Step delete(Target target, StoredObject seen, DeleteOptions how, WriteOptions options) {
        ObjectNode object = Json.tree(seen);
        require(target, object, how);
        ObjectNode held = held(object, how);
        Deletion deletion = Deletion.of(held, graceSeconds(target, object, how), writing.now());
        if (deletion instanceof Deletion.Removed) {
            return writing.removal(target, seen, options, stored -> removed(target, object));
        }
        if (deletion instanceof Deletion.Pending) {
            return new Done(Answer.ok(seen, List.of()));
        }
        ObjectNode marked = ((Deletion.Marked) deletion).object();
        if (options.isDryRun()) {
            return new Done(new Answer(200, Json.bytes(marked), List.of()));
        }
        Proposal proposal = Writing.proposal(target.kind(), "DeletionRequested", options)
                .replace(seen, Draft.of(seen.key(), marked))
                .build();
        return new Commit(proposal, 0, stored -> Answer.ok(stored, List.of()));
    }

    private static void require(Target target, ObjectNode object, DeleteOptions how) {
        JsonNode metadata = object.path("metadata");
        String uid = Json.text(metadata, "uid");
        if (!how.uid().isEmpty() && !how.uid().equals(uid)) {
            throw new StatusException(target.conflict(
                    "Precondition failed: UID in precondition: " + how.uid() + ", UID in object meta: " + uid));
        }
        String revision = Json.text(metadata, "resourceVersion");
        if (!how.resourceVersion().isEmpty() && !how.resourceVersion().equals(revision)) {
            throw new StatusException(target.conflict("Precondition failed: ResourceVersion in precondition: "
                    + how.resourceVersion() + ", ResourceVersion in object meta: " + revision));
        }
        String name = Json.text(metadata, "name");
        if (target.kind().resource().equals("namespaces") && KEPT_NAMESPACES.contains(name)) {
            throw new StatusException(target.forbidden(name, "this namespace may not be deleted"));
        }
    }

    /** With the finalizer that has the garbage collector see to the dependents before the owner goes. */
    private static ObjectNode held(ObjectNode object, DeleteOptions how) {
        String finalizer = how.propagation().finalizer();
        if (finalizer.isEmpty() || object.path("metadata").hasNonNull("deletionTimestamp")) {
            return object;
        }
        ObjectNode held = object.deepCopy();
        ArrayNode finalizers = Json.metadata(held).withArray("finalizers");
        for (JsonNode each : finalizers) {
            if (each.asText().equals(finalizer)) {
                return held;
            }
        }
        finalizers.add(finalizer);
        return held;
    }

    /** A Pod on a node gets time to end there; everything else needs none. */
    private static long graceSeconds(Target target, ObjectNode object, DeleteOptions how) {
        if (!target.kind().resource().equals("pods")) {
            return 0;
        }
        String phase = Json.text(object.path("status"), "phase");
        boolean runs = !Json.text(object.path("spec"), "nodeName").isEmpty()
                && !phase.equals("Succeeded")
                && !phase.equals("Failed");
        long asked = how.graceSeconds()
                .orElseGet(() -> object.path("spec")
                        .path("terminationGracePeriodSeconds")
                        .asLong(DEFAULT_POD_GRACE_SECONDS));
        return runs ? Math.min(Math.max(asked < 0 ? 1 : 0, asked), Integer.MAX_VALUE) : 0;
    }

    private static Answer removed(Target target, ObjectNode object) {
        JsonNode metadata = object.path("metadata");
        Status.Details about = target.details(Json.text(metadata, "name"));
        Status done = new Status(
                200,
                "",
                "",
                new Status.Details(
                        about.name(), about.group(), about.kind(), Json.text(metadata, "uid"), List.of(), 0));
        return Answer.of(done, List.of());
    }
}
