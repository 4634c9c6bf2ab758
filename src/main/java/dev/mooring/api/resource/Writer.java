package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.apply.Applied;
import dev.mooring.api.apply.FieldConflict;
import dev.mooring.api.apply.FieldManagement;
import dev.mooring.api.apply.Force;
import dev.mooring.api.apply.Manager;
import dev.mooring.api.decode.Decoded;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.Commits.Step;
import dev.mooring.api.resource.Writing.Found;
import dev.mooring.api.resource.Writing.Ownership;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.StoredObject;
import dev.mooring.model.select.Selection;
import dev.mooring.world.Ledger;
import dev.mooring.world.World;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Everything that changes objects, without a word about HTTP. A refusal is a {@link StatusException}, thrown or as the failure of the
 * returned stage. Thread-safe; answers come on the executor handed in.
 */
public final class Writer {
    private final Commits commits;
    private final Writing writing;
    private final Deleting deleting;
    private final Heartbeats heartbeats;

    public Writer(Ledger ledger, Clock clock, Ids ids, Heartbeats heartbeats) {
        this(ledger, clock, ids, heartbeats, PodPolicy.CLOSED);
    }

    /** @param policy what users may have of the machine through their Pods */
    public Writer(Ledger ledger, Clock clock, Ids ids, Heartbeats heartbeats, PodPolicy policy) {
        this.commits = new Commits(ledger);
        this.heartbeats = heartbeats;
        this.writing = new Writing(clock, ids, heartbeats, policy);
        this.deleting = new Deleting(writing);
    }

    /** A new object, from a body of the right shape. */
    public CompletionStage<Answer> create(Target target, Decoded body, WriteOptions options, Executor back) {
        List<String> warnings = FieldFindings.judge(target.kind(), body, options.validation());
        return commits.run(
                world -> writing.create(
                        world, target, body.object().deepCopy(), createdBy(target, options), options, warnings),
                back);
    }

    /** An object as a whole, from a body of the right shape. */
    public CompletionStage<Answer> replace(Target target, Decoded body, WriteOptions options, Executor back) {
        List<String> warnings = FieldFindings.judge(target.kind(), body, options.validation());
        return commits.run(
                world -> {
                    Found found = find(world, target);
                    Ownership ownership = updatedBy(target, found.before(), options);
                    return writing.update(target, found, body.object().deepCopy(), ownership, options, warnings);
                },
                back);
    }

    /** A change of an object, made anew of whatever the object is by then. */
    public CompletionStage<Answer> patch(Target target, Patch patch, WriteOptions options, Executor back) {
        return commits.run(
                world -> {
                    Found found = find(world, target);
                    Decoded patched = patch.applyTo(found.before(), target.kind());
                    List<String> warnings = FieldFindings.judge(target.kind(), patched, options.validation());
                    Ownership ownership = updatedBy(target, found.before(), options);
                    return writing.update(target, found, patched.object(), ownership, options, warnings);
                },
                back);
    }

    /** Server-side apply: what one manager wants of an object, which need not be there yet. */
    public CompletionStage<Answer> apply(
            Target target, Decoded body, Force force, WriteOptions options, Executor back) {
        List<String> warnings = FieldFindings.judge(target.kind(), body, options.validation());
        Writing.requireName(target, Json.metadata(body.object()));
        Writing.requireNamespace(target, Json.metadata(body.object()));
        return commits.run(world -> applied(world, target, body.object(), force, options, warnings), back);
    }

    private Step applied(
            World world, Target target, ObjectNode body, Force force, WriteOptions options, List<String> warnings) {
        Kind kind = target.kind();
        Optional<Found> found = world.get(target.key()).map(heartbeats::newest).map(seen -> Found.in(world, seen));
        if (found.isEmpty() && !target.subresource().isEmpty()) {
            throw new StatusException(target.notFound());
        }
        Manager manager = new Manager(
                options.manager(), target.subresource(), kind.names().apiVersion());
        Applied applied = new FieldManagement(kind.schema(), kind.names().apiVersion())
                .apply(found.map(Found::before), body.deepCopy(), manager, force, writing.now());
        if (applied instanceof Applied.Conflicted conflicted) {
            throw new StatusException(conflicts(conflicted));
        }
        if (applied instanceof Applied.Rejected rejected) {
            String reason = rejected.code() == 400 ? "BadRequest" : "Invalid";
            throw new StatusException(new Status(rejected.code() == 400 ? 400 : 422, reason, rejected.message()));
        }
        ObjectNode merged = ((Applied.Merged) applied).object();
        JsonNode managers = Json.metadata(merged).path("managedFields").deepCopy();
        Ownership ownership = (object, now) -> {
            if (!managers.isMissingNode()) {
                Json.metadata(object).set("managedFields", managers);
            }
        };
        if (found.isEmpty()) {
            return writing.create(world, target, merged, ownership, options, warnings);
        }
        return writing.update(target, found.get(), merged, ownership, options, warnings);
    }

    private static Status conflicts(Applied.Conflicted conflicted) {
        List<Status.Cause> causes = conflicted.conflicts().stream()
                .map(each -> new Status.Cause(FieldConflict.REASON, each.message(), each.field()))
                .toList();
        return new Status(409, "Conflict", conflicted.message(), new Status.Details("", "", "", "", causes, 0));
    }

    public CompletionStage<Answer> delete(Target target, DeleteOptions how, WriteOptions options, Executor back) {
        return commits.run(world -> deleting.delete(target, seen(world, target), how, options), back);
    }

    /** Deletes all objects of a selection, one after another; answers with the list of them. */
    public CompletionStage<Answer> deleteAll(
            Target collection, Selection selection, DeleteOptions how, WriteOptions options, Executor back) {
        World world = commits.world();
        List<StoredObject> selected = new ArrayList<>();
        for (StoredObject each : world.list(collection.kind().scope(collection.namespace()))) {
            if (selection.matches(each)) {
                selected.add(each);
            }
        }
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        List<CompletionStage<Void>> each = new ArrayList<>();
        for (StoredObject object : selected) {
            Target target = new Target(
                    collection.kind(),
                    object.key().namespace(),
                    Optional.of(object.key().name()),
                    "");
            each.add(delete(target, how, options, back).handle((answer, failure) -> ignoreGone(failure)));
        }
        for (CompletionStage<Void> one : each) {
            all = all.thenCombine(one, (a, b) -> null);
        }
        return all.thenApply(v -> new Answer(200, Json.bytes(list(collection.kind(), world, selected)), List.of()));
    }

    /** Somebody else was faster. */
    private static Void ignoreGone(Throwable failure) {
        Throwable cause = failure instanceof java.util.concurrent.CompletionException ? failure.getCause() : failure;
        if (cause instanceof StatusException refused && refused.status().code() == 404) {
            return null;
        }
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return null;
    }

    private static ObjectNode list(Kind kind, World world, List<StoredObject> objects) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", kind.names().kind() + "List")
                .put("apiVersion", kind.names().apiVersion());
        list.putObject("metadata").put("resourceVersion", Long.toString(world.revision()));
        ArrayNode items = list.putArray("items");
        objects.forEach(object -> items.add(Json.tree(object)));
        return list;
    }

    private Found find(World world, Target target) {
        return Found.in(world, seen(world, target));
    }

    private StoredObject seen(World world, Target target) {
        return world.get(target.key())
                .map(heartbeats::newest)
                .orElseThrow(() -> new StatusException(target.notFound()));
    }

    private static Ownership createdBy(Target target, WriteOptions options) {
        String apiVersion = target.kind().names().apiVersion();
        Manager manager = new Manager(options.manager(), "", apiVersion);
        return (object, now) -> new FieldManagement(target.kind().schema(), apiVersion).created(object, manager, now);
    }

    private static Ownership updatedBy(Target target, ObjectNode before, WriteOptions options) {
        String apiVersion = target.kind().names().apiVersion();
        Manager manager = new Manager(options.manager(), target.subresource(), apiVersion);
        return (object, now) ->
                new FieldManagement(target.kind().schema(), apiVersion).updated(before, object, manager, now);
    }
}
