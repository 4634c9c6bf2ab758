package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.patch.FieldManager;
import dev.mooring.api.resource.OptimisticCommitter.ProposeAndRespond;
import dev.mooring.api.resource.OptimisticCommitter.RespondOnly;
import dev.mooring.api.resource.OptimisticCommitter.WriteDecision;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.types.KindDefinition;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import dev.mooring.world.Proposal.Allowance;
import dev.mooring.world.ResourceQuotas;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Decides about creates and updates of objects of the right shape: returns the new or changed object, or refuses it
 * with all errors. Decides by a World and changes nothing. Thread-safe.
 */
final class WriteStrategy {
    /** Records field ownership in {@code managedFields}, when the object is complete. */
    interface OwnershipRecorder {
        void record(ObjectNode object, Instant now);
    }

    /**
     * The object to be changed.
     *
     * @param world the World that contains it
     * @param before the stored object as a tree
     */
    record FoundObject(World world, StoredObject stored, ObjectNode before) {
        static FoundObject in(World world, StoredObject seen) {
            return new FoundObject(world, seen, ObjectJson.tree(seen));
        }
    }

    private static final String NAMESPACES = "namespaces";
    private static final String SERVICE_ACCOUNTS = "serviceaccounts";

    private final Clock clock;
    private final IdGenerator ids;
    private final LeaseCache leaseCache;
    private final Admission admission;
    private volatile CachedNamespaceState lastNamespace;

    private record CachedNamespaceState(StoredObject namespace, boolean isBeingDeleted) {}

    WriteStrategy(Clock clock, IdGenerator ids, LeaseCache leaseCache, Admission admission) {
        this.clock = clock;
        this.ids = ids;
        this.leaseCache = leaseCache;
        this.admission = admission;
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Decides about a create.
     *
     * @param wanted of the right shape; modified
     */
    WriteDecision create(
            World world,
            ResourceRef target,
            ObjectNode wanted,
            OwnershipRecorder ownership,
            WriteOptions options,
            List<String> warnings) {
        ObjectNode object = named(target, wanted);
        KindDefinition kind = target.kind();
        ObjectNode metadata = ObjectJson.metadata(object);
        if (!ObjectJson.text(metadata, "resourceVersion").isEmpty()) {
            throw new StatusException(Status.badRequest("resourceVersion should not be set on objects to be created"));
        }
        admission.applyNamespaceDefaults(target, object);
        kind.rules().prepareForCreate(object);
        kind.rules().applyDefaults(object);
        if (kind.rules().hasGeneration()) {
            ObjectJson.metadata(object).put("generation", 1);
        }
        ownership.record(object, now());
        admission.mutateCreate(world, target, object, options.user());
        Violations violations = new Violations();
        kind.metadata().validate(object, violations);
        kind.rules().validate(object, violations);
        kind.rules().validateCreate(object, violations);
        admission.validate(world, target, object, Optional.empty(), violations);
        refuse(kind, metadata, violations);

        String name = ObjectJson.text(metadata, "name");
        ObjectKey key = target.key(name);
        Optional<StoredObject> home = targetNamespace(world, target, name);
        admission.admitCreate(world, target, object, options.user());
        if (world.get(key).isPresent()) {
            throw new StatusException(target.alreadyExists(name));
        }
        List<String> allWarnings = admission.warnings(world, target, object, warnings);
        if (options.isDryRun()) {
            requireQuota(world, target, Optional.empty(), Draft.of(key, object));
            return new RespondOnly(new WriteResponse(201, ObjectJson.bytes(object), allWarnings));
        }
        Proposal.Builder proposal = proposal(kind, "Created", options).create(Draft.of(key, object));
        home.ifPresent(proposal::expect);
        admission.guard(world, target, object, Optional.empty(), proposal);
        if (kind.resource().equals(NAMESPACES)) {
            addServiceAccount(world, name, proposal);
        }
        return new ProposeAndRespond(proposal.build(), 0, stored -> new WriteResponse(201, stored.json(), allWarnings));
    }

    /** Refuses a write that the ledger would refuse because of a ResourceQuota. */
    private static void requireQuota(World world, ResourceRef target, Optional<StoredObject> before, Draft after) {
        ResourceQuotas.refusal(world, before, after.at(world.revision() + 1)).ifPresent(why -> {
            throw new StatusException(target.forbidden(after.key().name(), why));
        });
    }

    /** Sets the name, the namespace and server-managed metadata. */
    private ObjectNode named(ResourceRef target, ObjectNode wanted) {
        ObjectNode metadata = ObjectJson.metadata(wanted);
        requireNamespace(target, metadata);
        requireName(target, metadata);
        String name = ObjectJson.text(metadata, "name");
        if (name.isEmpty() && !ObjectJson.text(metadata, "generateName").isEmpty()) {
            String start = ObjectJson.text(metadata, "generateName");
            // 63 minus the suffix, as in Kubernetes: the name is also a valid label value
            name = start.substring(0, Math.min(start.length(), 58)) + ids.nameSuffix();
        }
        metadata.remove(
                List.of("selfLink", "deletionTimestamp", "deletionGracePeriodSeconds", "managedFields", "generation"));
        ObjectNode ordered = wanted.objectNode();
        ordered.put("name", name);
        moveIfPresent(metadata, ordered, "generateName");
        target.namespace().ifPresent(namespace -> ordered.put("namespace", namespace));
        ordered.put("uid", ids.uid());
        moveIfPresent(metadata, ordered, "resourceVersion");
        ordered.put("creationTimestamp", now().toString());
        metadata.remove(List.of("name", "namespace", "uid", "creationTimestamp"));
        ordered.setAll(metadata);
        wanted.set("metadata", ordered);
        return ObjectJson.ordered(wanted);
    }

    private static void moveIfPresent(ObjectNode from, ObjectNode to, String field) {
        JsonNode value = from.remove(field);
        if (value != null) {
            to.set(field, value);
        }
    }

    static void requireNamespace(ResourceRef target, ObjectNode metadata) {
        String namespace = ObjectJson.text(metadata, "namespace");
        if (!namespace.isEmpty() && !namespace.equals(target.namespace().orElse(""))) {
            if (!target.kind().isNamespaced()) {
                metadata.remove("namespace"); // as in Kubernetes: it is ignored
                return;
            }
            throw new StatusException(Status.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request"));
        }
    }

    static void requireName(ResourceRef target, ObjectNode metadata) {
        if (target.name().isEmpty()) {
            return;
        }
        String name = ObjectJson.text(metadata, "name");
        if (name.isEmpty()) {
            metadata.put("name", target.name().get());
        } else if (!name.equals(target.name().get())) {
            throw new StatusException(Status.badRequest("the name of the object (" + name
                    + ") does not match the name on the URL (" + target.name().get() + ")"));
        }
    }

    /** Returns the namespace of a new object, which must exist and not be terminating. */
    private Optional<StoredObject> targetNamespace(World world, ResourceRef target, String name) {
        if (target.namespace().isEmpty()) {
            return Optional.empty();
        }
        String namespace = target.namespace().get();
        ObjectKey key;
        try {
            key = ObjectKey.clusterWide(NAMESPACES, namespace);
        } catch (IllegalArgumentException e) {
            throw new StatusException(Status.badRequest("\"" + namespace + "\" is not the name of a namespace"));
        }
        StoredObject home = world.get(key)
                .orElseThrow(() -> new StatusException(new Status(
                        404,
                        "NotFound",
                        "namespaces \"" + namespace + "\" not found",
                        new Status.Details(namespace, "", NAMESPACES, "", List.of(), 0))));
        if (isBeingDeleted(home)) {
            String why = "namespace " + namespace + " is being terminated";
            throw new StatusException(target.forbidden(
                    name,
                    "unable to create new content in namespace " + namespace + " because it is being terminated",
                    new Status.StatusCause("NamespaceTerminating", why, "metadata.namespace")));
        }
        return Optional.of(home);
    }

    /**
     * Returns whether the namespace is terminating; the last result is cached, because objects are created in bursts.
     */
    private boolean isBeingDeleted(StoredObject namespace) {
        CachedNamespaceState known = lastNamespace;
        if (known == null || !known.namespace().equals(namespace)) {
            known = new CachedNamespaceState(
                    namespace, ObjectJson.tree(namespace).path("metadata").hasNonNull("deletionTimestamp"));
            lastNamespace = known;
        }
        return known.isBeingDeleted();
    }

    /** Adds the namespace's default ServiceAccount for Pods and {@code kubectl create token default}. */
    private void addServiceAccount(World world, String namespace, Proposal.Builder proposal) {
        ObjectKey key = ObjectKey.namespaced(SERVICE_ACCOUNTS, namespace, "default");
        if (world.get(key).isPresent()) {
            return;
        }
        ObjectNode account = JsonNodeFactory.instance.objectNode();
        account.put("kind", "ServiceAccount").put("apiVersion", "v1");
        account.putObject("metadata")
                .put("name", "default")
                .put("namespace", namespace)
                .put("uid", ids.uid())
                .put("creationTimestamp", now().toString());
        proposal.create(Draft.of(key, account));
    }

    /**
     * Decides about an update.
     *
     * @param wanted of the right shape; modified
     */
    WriteDecision update(
            ResourceRef target,
            FoundObject found,
            ObjectNode wanted,
            OwnershipRecorder ownership,
            WriteOptions options,
            List<String> warnings) {
        KindDefinition kind = target.kind();
        ObjectNode before = found.before();
        ObjectNode metadata = ObjectJson.metadata(wanted);
        requireNamespace(target, metadata);
        requireName(target, metadata);
        target.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        requireSame(target, before, metadata);

        ObjectNode next = ObjectJson.ordered(wanted);
        MetadataRules.prepareForUpdate(next, before);
        switch (target.subresource()) {
            case ResourceRef.STATUS -> kind.rules().prepareForStatusUpdate(next, before);
            case ResourceRef.FINALIZE -> kind.rules().prepareForFinalize(next, before);
            case ResourceRef.EPHEMERAL_CONTAINERS ->
                kind.rules().prepareForSubresource(target.subresource(), next, before);
            default -> kind.rules().prepareForUpdate(next, before);
        }
        kind.rules().applyDefaults(next);
        ownership.record(next, now());
        admission.mutateUpdate(found.world(), target, next, before, options.user());
        if (kind.rules().hasGeneration()) {
            setGeneration(next, before);
        }
        FieldManager.keepTimesIfNothingElseChanged(before, next);
        return changed(target, found, next, options, warnings);
    }

    /** Increments the generation if the spec changes. */
    private static void setGeneration(ObjectNode next, ObjectNode before) {
        int was = before.path("metadata").path("generation").asInt(1);
        boolean changed = !JsonFields.same(next.path("spec"), before.path("spec"));
        ObjectJson.metadata(next).put("generation", changed ? was + 1 : was);
    }

    /**
     * Completes the decision about a change: admission, no-op detection, and removal of an object whose last finalizer
     * is gone.
     */
    private WriteDecision changed(
            ResourceRef target, FoundObject found, ObjectNode next, WriteOptions options, List<String> existing) {
        KindDefinition kind = target.kind();
        StoredObject seen = found.stored();
        ObjectNode before = found.before();
        Violations violations = new Violations();
        kind.metadata().validateUpdate(next, before, violations);
        if (target.isStatus()) {
            kind.rules().validateStatusUpdate(next, before, violations);
        } else if (target.subresource().equals(ResourceRef.EPHEMERAL_CONTAINERS)) {
            kind.rules().validate(next, violations);
            kind.rules().validateSubresource(target.subresource(), next, before, violations);
        } else {
            kind.rules().validate(next, violations);
            kind.rules().validateUpdate(next, before, violations);
        }
        admission.validate(found.world(), target, next, Optional.of(before), violations);
        refuse(kind, ObjectJson.metadata(next), violations);
        admission.admitUpdate(found.world(), target, next, before, options.user());
        List<String> warnings = admission.warnings(found.world(), target, next, before, existing);
        ObjectJson.metadata(next).set("resourceVersion", before.path("metadata").get("resourceVersion"));
        if (Deletion.isDue(next)) {
            return removal(target, seen, options, stored -> new WriteResponse(200, stored.json(), warnings));
        }
        if (next.equals(before)) {
            return new RespondOnly(WriteResponse.ok(leaseCache.withLatestRenewal(seen), warnings));
        }
        if (options.isDryRun()) {
            requireQuota(found.world(), target, Optional.of(seen), Draft.of(seen.key(), next));
            return new RespondOnly(new WriteResponse(200, ObjectJson.bytes(next), warnings));
        }
        if (leaseCache.isRenewalOnly(kind, before, next)) {
            Optional<StoredObject> renewal = leaseCache.cacheRenewal(seen, next);
            if (renewal.isPresent()) {
                return new RespondOnly(WriteResponse.ok(renewal.get(), warnings));
            }
        }
        String what = target.isStatus() ? "StatusUpdated" : "Updated";
        Proposal.Builder proposal = proposal(kind, what, options).replace(seen, Draft.of(seen.key(), next));
        admission.guard(found.world(), target, next, Optional.of(before), proposal);
        return new ProposeAndRespond(proposal.build(), 0, stored -> WriteResponse.ok(stored, warnings));
    }

    /** Refuses a deletion that the user may not perform on the found object. */
    void admitDelete(ResourceRef target, StoredObject seen, WriteOptions options) {
        admission.admitDelete(target, seen, options.user());
    }

    WriteDecision removal(
            ResourceRef target,
            StoredObject seen,
            WriteOptions options,
            Function<StoredObject, WriteResponse> response) {
        if (options.isDryRun()) {
            return new RespondOnly(response.apply(seen));
        }
        Proposal proposal =
                proposal(target.kind(), "Deleted", options).remove(seen).build();
        return new ProposeAndRespond(proposal, 0, response);
    }

    static Proposal.Builder proposal(KindDefinition kind, String what, WriteOptions options) {
        return Proposal.by(options.actor(), kind.names().kind() + what)
                .because(Cause.request(options.request()))
                .within(options.user().nodeName().isPresent() ? Allowance.SYSTEM : Allowance.USER);
    }

    /** Requires that the uid and resourceVersion of the request match the object. */
    private static void requireSame(ResourceRef target, ObjectNode before, ObjectNode metadata) {
        JsonNode was = before.path("metadata");
        String revision = ObjectJson.text(metadata, "resourceVersion");
        if (!revision.isEmpty() && !revision.equals("0") && !revision.equals(ObjectJson.text(was, "resourceVersion"))) {
            throw new StatusException(target.conflict("the object has been modified; please apply your changes to the"
                    + " latest version and try again"));
        }
        String uid = ObjectJson.text(metadata, "uid");
        if (!uid.isEmpty() && !uid.equals(ObjectJson.text(was, "uid"))) {
            throw new StatusException(target.conflict("Precondition failed: UID in precondition: " + uid
                    + ", UID in object meta: " + ObjectJson.text(was, "uid")));
        }
    }

    private static void refuse(KindDefinition kind, ObjectNode metadata, Violations violations) {
        if (violations.isEmpty()) {
            return;
        }
        String name = ObjectJson.text(metadata, "name");
        List<Status.StatusCause> causes = violations.all().stream()
                .map(each -> new Status.StatusCause(each.reason(), each.message(), each.field()))
                .toList();
        String group = kind.names().group();
        throw new StatusException(new Status(
                422,
                "Invalid",
                (group.isEmpty() ? kind.names().kind() : kind.names().kind() + '.' + group) + " \"" + name
                        + "\" is invalid: " + violations.text(),
                new Status.Details(name, group, kind.names().kind(), "", causes, 0)));
    }
}
