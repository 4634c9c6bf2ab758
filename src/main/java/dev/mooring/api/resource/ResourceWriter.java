package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.patch.ApplyResult;
import dev.mooring.api.patch.FieldManager;
import dev.mooring.api.patch.Manager;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.OptimisticCommitter.WriteDecision;
import dev.mooring.api.resource.WriteOptions.FieldValidation;
import dev.mooring.api.resource.WriteStrategy.FoundObject;
import dev.mooring.api.resource.WriteStrategy.OwnershipRecorder;
import dev.mooring.api.types.KindDecoder;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Selection;
import dev.mooring.model.StoredObject;
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
 * Performs all changes of objects, independently of HTTP. A refusal is a {@link StatusException}, thrown or as the
 * failure of the returned stage. Thread-safe; responses are delivered on the given executor.
 */
public final class ResourceWriter {
    /** Maximum size of the list in the response to a deletecollection; clients do not read it. */
    private static final long MAX_LISTED_BYTES = 1 << 20;

    private final OptimisticCommitter committer;
    private final WriteStrategy writeStrategy;
    private final DeleteStrategy deleteStrategy;
    private final LeaseCache leaseCache;

    public ResourceWriter(Ledger ledger, Clock clock, IdGenerator ids, LeaseCache leaseCache) {
        this(ledger, clock, ids, leaseCache, PodPolicy.DENY_ALL);
    }

    /** @param policy host access that users may have through their Pods */
    public ResourceWriter(Ledger ledger, Clock clock, IdGenerator ids, LeaseCache leaseCache, PodPolicy policy) {
        this.committer = new OptimisticCommitter(ledger);
        this.leaseCache = leaseCache;
        this.writeStrategy = new WriteStrategy(clock, ids, leaseCache, new Admission(policy));
        this.deleteStrategy = new DeleteStrategy(writeStrategy);
    }

    /** Creates an object from a body of the right shape. */
    public CompletionStage<WriteResponse> create(
            ResourceRef target, KindDecoder.DecodedBody body, WriteOptions options, Executor back) {
        List<String> warnings = strictFieldWarnings(target.kind(), body, options.validation());
        return committer.run(
                world -> writeStrategy.create(
                        world, target, body.object().deepCopy(), createdBy(target, options), options, warnings),
                back);
    }

    /** Replaces an object by a body of the right shape. */
    public CompletionStage<WriteResponse> replace(
            ResourceRef target, KindDecoder.DecodedBody body, WriteOptions options, Executor back) {
        List<String> warnings = strictFieldWarnings(target.bodyKind(), body, options.validation());
        return committer
                .run(
                        world -> {
                            FoundObject found = find(world, target);
                            OwnershipRecorder ownership = updatedBy(target, found.before(), options);
                            ObjectNode wanted = target.isScale()
                                    ? ScaleSubresource.applied(found.before(), body.object())
                                    : body.object().deepCopy();
                            return writeStrategy.update(target, found, wanted, ownership, options, warnings);
                        },
                        back)
                .thenApply(response -> target.isScale() ? ScaleSubresource.response(response) : response);
    }

    /** Patches an object; after a conflict, the patch is applied again to the changed object. */
    public CompletionStage<WriteResponse> patch(ResourceRef target, Patch patch, WriteOptions options, Executor back) {
        return committer
                .run(
                        world -> {
                            FoundObject found = find(world, target);
                            ObjectNode before = found.before();
                            KindDecoder.DecodedBody patched = patch.applyTo(
                                    target.isScale() ? ScaleSubresource.of(before) : before, target.bodyKind());
                            List<String> warnings =
                                    strictFieldWarnings(target.bodyKind(), patched, options.validation());
                            OwnershipRecorder ownership = updatedBy(target, before, options);
                            ObjectNode wanted = target.isScale()
                                    ? ScaleSubresource.applied(before, patched.object())
                                    : patched.object();
                            return writeStrategy.update(target, found, wanted, ownership, options, warnings);
                        },
                        back)
                .thenApply(response -> target.isScale() ? ScaleSubresource.response(response) : response);
    }

    /** Applies a configuration (server-side apply) to an object, which need not exist. */
    public CompletionStage<WriteResponse> apply(
            ResourceRef target,
            KindDecoder.DecodedBody body,
            FieldManager.Force force,
            WriteOptions options,
            Executor back) {
        List<String> warnings = strictFieldWarnings(target.kind(), body, options.validation());
        WriteStrategy.requireName(target, ObjectJson.metadata(body.object()));
        WriteStrategy.requireNamespace(target, ObjectJson.metadata(body.object()));
        return committer.run(world -> applied(world, target, body.object(), force, options, warnings), back);
    }

    private WriteDecision applied(
            World world,
            ResourceRef target,
            ObjectNode body,
            FieldManager.Force force,
            WriteOptions options,
            List<String> warnings) {
        KindDefinition kind = target.kind();
        Optional<FoundObject> found =
                world.get(target.key()).map(leaseCache::withLatestRenewal).map(seen -> FoundObject.in(world, seen));
        if (found.isEmpty() && !target.subresource().isEmpty()) {
            throw new StatusException(target.notFound());
        }
        Manager manager = new Manager(
                options.manager(), target.subresource(), kind.names().apiVersion());
        ApplyResult applied = new FieldManager(kind.schema(), kind.names().apiVersion())
                .apply(found.map(FoundObject::before), body.deepCopy(), manager, force, writeStrategy.now());
        if (applied instanceof ApplyResult.Conflicted conflicted) {
            throw new StatusException(conflicts(conflicted));
        }
        if (applied instanceof ApplyResult.Rejected rejected) {
            String reason = rejected.code() == 400 ? "BadRequest" : "Invalid";
            throw new StatusException(new Status(rejected.code() == 400 ? 400 : 422, reason, rejected.message()));
        }
        ObjectNode merged = ((ApplyResult.Merged) applied).object();
        JsonNode managers = ObjectJson.metadata(merged).path("managedFields").deepCopy();
        OwnershipRecorder ownership = (object, now) -> {
            if (!managers.isMissingNode()) {
                ObjectJson.metadata(object).set("managedFields", managers);
            }
        };
        if (found.isEmpty()) {
            return writeStrategy.create(world, target, merged, ownership, options, warnings);
        }
        return writeStrategy.update(target, found.get(), merged, ownership, options, warnings);
    }

    private static Status conflicts(ApplyResult.Conflicted conflicted) {
        List<Status.StatusCause> causes = conflicted.conflicts().stream()
                .map(each -> new Status.StatusCause(ApplyResult.FieldConflict.REASON, each.message(), each.field()))
                .toList();
        return new Status(409, "Conflict", conflicted.message(), new Status.Details("", "", "", "", causes, 0));
    }

    public CompletionStage<WriteResponse> delete(
            ResourceRef target, DeleteOptions how, WriteOptions options, Executor back) {
        return committer.run(world -> deleteStrategy.delete(target, requireObject(world, target), how, options), back);
    }

    /** Deletes all objects of a selection, one after another; responds with their list, unless it is long. */
    public CompletionStage<WriteResponse> deleteAll(
            ResourceRef collection, Selection selection, DeleteOptions how, WriteOptions options, Executor back) {
        World world = committer.world();
        List<StoredObject> selected = new ArrayList<>();
        for (StoredObject each : world.list(collection.kind().scope(collection.namespace()))) {
            if (selection.matches(each)) {
                selected.add(each);
            }
        }
        CompletionStage<Void> all = CompletableFuture.completedFuture(null);
        List<CompletionStage<Void>> each = new ArrayList<>();
        for (StoredObject object : selected) {
            ResourceRef target = new ResourceRef(
                    collection.kind(),
                    object.key().namespace(),
                    Optional.of(object.key().name()),
                    "");
            each.add(delete(target, how, options, back).handle((answer, failure) -> ignoreNotFound(failure)));
        }
        for (CompletionStage<Void> one : each) {
            all = all.thenCombine(one, (a, b) -> null);
        }
        if (selected.stream().mapToLong(StoredObject::bytes).sum() > MAX_LISTED_BYTES) {
            return all.thenApply(v -> WriteResponse.of(new Status(200, "", ""), List.of()));
        }
        return all.thenApply(
                v -> new WriteResponse(200, ObjectJson.bytes(list(collection.kind(), world, selected)), List.of()));
    }

    /** Ignores that another writer deleted the object first. */
    private static Void ignoreNotFound(Throwable failure) {
        Throwable cause = failure instanceof java.util.concurrent.CompletionException ? failure.getCause() : failure;
        if (cause instanceof StatusException refused && refused.status().code() == 404) {
            return null;
        }
        if (cause instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        return null;
    }

    private static ObjectNode list(KindDefinition kind, World world, List<StoredObject> objects) {
        ObjectNode list = JsonNodeFactory.instance.objectNode();
        list.put("kind", kind.names().kind() + "List")
                .put("apiVersion", kind.names().apiVersion());
        list.putObject("metadata").put("resourceVersion", Long.toString(world.revision()));
        ArrayNode items = list.putArray("items");
        objects.forEach(object -> items.add(ObjectJson.tree(object)));
        return list;
    }

    private FoundObject find(World world, ResourceRef target) {
        return FoundObject.in(world, requireObject(world, target));
    }

    private StoredObject requireObject(World world, ResourceRef target) {
        return world.get(target.key())
                .map(leaseCache::withLatestRenewal)
                .orElseThrow(() -> new StatusException(target.notFound()));
    }

    private static OwnershipRecorder createdBy(ResourceRef target, WriteOptions options) {
        String apiVersion = target.kind().names().apiVersion();
        Manager manager = new Manager(options.manager(), "", apiVersion);
        return (object, now) -> new FieldManager(target.kind().schema(), apiVersion).recordCreate(object, manager, now);
    }

    private static OwnershipRecorder updatedBy(ResourceRef target, ObjectNode before, WriteOptions options) {
        String apiVersion = target.kind().names().apiVersion();
        Manager manager = new Manager(options.manager(), target.subresource(), apiVersion);
        return (object, now) ->
                new FieldManager(target.kind().schema(), apiVersion).recordUpdate(before, object, manager, now);
    }

    /** Returns the warnings about unknown and duplicate fields, or throws if validation is strict. */
    private static List<String> strictFieldWarnings(
            KindDefinition kind, KindDecoder.DecodedBody body, FieldValidation validation) {
        if (body.findings().isEmpty() || validation == FieldValidation.IGNORE) {
            return List.of();
        }
        if (validation == FieldValidation.WARN) {
            return body.findings();
        }
        throw new StatusException(
                Status.badRequest(kind.decoder().refusal(body.strictError().orElseThrow())));
    }
}
