package dev.mooring.api.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.apply.FieldManagement;
import dev.mooring.api.kind.Kind;
import dev.mooring.api.kind.Violations;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.Commits.Commit;
import dev.mooring.api.resource.Commits.Done;
import dev.mooring.api.resource.Commits.Step;
import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.Cause;
import dev.mooring.model.Draft;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Deletion;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What becomes of an object of the right shape that somebody wants to have: a new object, or a changed one, or a refusal that says
 * everything that is wrong with it. Decides upon a World and changes nothing. Thread-safe.
 */
final class Writing {
    /** Writes down in {@code managedFields} who owns which fields, once the object is as it will be. */
    interface Ownership {
        void record(ObjectNode object, Instant now);
    }

    /**
     * An object that is to be changed, as it was found.
     *
     * @param world in which, with what else there was
     * @param before the same as a tree
     */
    record Found(World world, StoredObject seen, ObjectNode before) {
        static Found in(World world, StoredObject seen) {
            return new Found(world, seen, Json.tree(seen));
        }
    }

    private static final String NAMESPACES = "namespaces";
    private static final String SERVICE_ACCOUNTS = "serviceaccounts";

    private final Clock clock;
    private final Ids ids;
    private final Heartbeats heartbeats;
    private final Admission admission;
    private volatile Home lastHome;

    private record Home(StoredObject namespace, boolean isBeingDeleted) {}

    Writing(Clock clock, Ids ids, Heartbeats heartbeats, PodPolicy policy) {
        this.clock = clock;
        this.ids = ids;
        this.heartbeats = heartbeats;
        this.admission = new Admission(policy);
    }

    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * A new object.
     *
     * @param wanted of the right shape; modified
     */
    Step create(
            World world,
            Target target,
            ObjectNode wanted,
            Ownership ownership,
            WriteOptions options,
            List<String> warnings) {
        ObjectNode object = named(target, wanted);
        Kind kind = target.kind();
        ObjectNode metadata = Json.metadata(object);
        if (!Json.text(metadata, "resourceVersion").isEmpty()) {
            throw new StatusException(Status.badRequest("resourceVersion should not be set on objects to be created"));
        }
        kind.rules().prepareForCreate(object);
        kind.rules().applyDefaults(object);
        ownership.record(object, now());
        admission.completeNew(world, target, object, options.user());
        Violations violations = new Violations();
        kind.metadata().validate(object, violations);
        kind.rules().validate(object, violations);
        kind.rules().validateCreate(object, violations);
        admission.validate(world, target, object, Optional.empty(), violations);
        refuse(kind, metadata, violations);

        String name = Json.text(metadata, "name");
        ObjectKey key = target.key(name);
        Optional<StoredObject> home = home(world, target, name);
        admission.permitNew(target, object, options.user());
        if (world.get(key).isPresent()) {
            throw new StatusException(target.alreadyExists(name));
        }
        List<String> told = admission.warnings(target, object, warnings);
        if (options.isDryRun()) {
            return new Done(new Answer(201, Json.bytes(object), told));
        }
        Proposal.Builder proposal = proposal(kind, "Created", options).create(Draft.of(key, object));
        home.ifPresent(proposal::expect);
        if (kind.resource().equals(NAMESPACES)) {
            addServiceAccount(world, name, proposal);
        }
        return new Commit(proposal.build(), 0, stored -> new Answer(201, stored.json(), told));
    }

    /** The object with a name, a namespace and what the server decides alone. */
    private ObjectNode named(Target target, ObjectNode wanted) {
        ObjectNode metadata = Json.metadata(wanted);
        requireNamespace(target, metadata);
        requireName(target, metadata);
        String name = Json.text(metadata, "name");
        if (name.isEmpty() && !Json.text(metadata, "generateName").isEmpty()) {
            String start = Json.text(metadata, "generateName");
            // 63 less the ending, as in Kubernetes: such a name also fits where a label is asked for
            name = start.substring(0, Math.min(start.length(), 58)) + ids.nameEnding();
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
        return Json.ordered(wanted);
    }

    private static void moveIfPresent(ObjectNode from, ObjectNode to, String field) {
        JsonNode value = from.remove(field);
        if (value != null) {
            to.set(field, value);
        }
    }

    static void requireNamespace(Target target, ObjectNode metadata) {
        String namespace = Json.text(metadata, "namespace");
        if (!namespace.isEmpty() && !namespace.equals(target.namespace().orElse(""))) {
            if (!target.kind().isNamespaced()) {
                metadata.remove("namespace"); // as in Kubernetes: it means nothing there
                return;
            }
            throw new StatusException(Status.badRequest(
                    "the namespace of the provided object does not match the namespace sent on the request"));
        }
    }

    static void requireName(Target target, ObjectNode metadata) {
        if (target.name().isEmpty()) {
            return;
        }
        String name = Json.text(metadata, "name");
        if (name.isEmpty()) {
            metadata.put("name", target.name().get());
        } else if (!name.equals(target.name().get())) {
            throw new StatusException(Status.badRequest("the name of the object (" + name
                    + ") does not match the name on the URL (" + target.name().get() + ")"));
        }
    }

    /** The namespace an object is to live in, which must be there and stay. */
    private Optional<StoredObject> home(World world, Target target, String name) {
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
                    new Status.Cause("NamespaceTerminating", why, "metadata.namespace")));
        }
        return Optional.of(home);
    }

    /** Objects come in bunches into one namespace, which seldom changes: what was found out about it last is kept. */
    private boolean isBeingDeleted(StoredObject namespace) {
        Home known = lastHome;
        if (known == null || !known.namespace().equals(namespace)) {
            known = new Home(namespace, Json.tree(namespace).path("metadata").hasNonNull("deletionTimestamp"));
            lastHome = known;
        }
        return known.isBeingDeleted();
    }

    /** Every namespace has an account that Pods, and {@code kubectl create token default}, can be of. */
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
     * A changed object.
     *
     * @param wanted of the right shape; modified
     */
    Step update(
            Target target,
            Found found,
            ObjectNode wanted,
            Ownership ownership,
            WriteOptions options,
            List<String> warnings) {
        Kind kind = target.kind();
        ObjectNode before = found.before();
        ObjectNode metadata = Json.metadata(wanted);
        requireNamespace(target, metadata);
        requireName(target, metadata);
        target.namespace().ifPresent(namespace -> metadata.put("namespace", namespace));
        requireSame(target, before, metadata);

        ObjectNode next = Json.ordered(wanted);
        MetadataRules.prepareForUpdate(next, before);
        switch (target.subresource()) {
            case Target.STATUS -> kind.rules().prepareForStatusUpdate(next, before);
            case Target.FINALIZE -> kind.rules().prepareForFinalize(next, before);
            default -> kind.rules().prepareForUpdate(next, before);
        }
        kind.rules().applyDefaults(next);
        ownership.record(next, now());
        admission.completeChanged(found.world(), target, next, before);
        FieldManagement.keepTimesIfNothingElseChanged(before, next);
        return changed(target, found, next, options, warnings);
    }

    /** The end of every change of an object: is it allowed, is it any, and does the object go with it? */
    private Step changed(Target target, Found found, ObjectNode next, WriteOptions options, List<String> warnings) {
        Kind kind = target.kind();
        StoredObject seen = found.seen();
        ObjectNode before = found.before();
        Violations violations = new Violations();
        kind.metadata().validateUpdate(next, before, violations);
        if (target.isStatus()) {
            kind.rules().validateStatusUpdate(next, before, violations);
        } else {
            kind.rules().validate(next, violations);
            kind.rules().validateUpdate(next, before, violations);
        }
        admission.validate(found.world(), target, next, Optional.of(before), violations);
        refuse(kind, Json.metadata(next), violations);
        admission.permit(found.world(), target, next, before, options.user());
        Json.metadata(next).set("resourceVersion", before.path("metadata").get("resourceVersion"));
        if (Deletion.isDue(next)) {
            return removal(target, seen, options, stored -> new Answer(200, stored.json(), warnings));
        }
        if (next.equals(before)) {
            return new Done(Answer.ok(heartbeats.newest(seen), warnings));
        }
        if (options.isDryRun()) {
            return new Done(new Answer(200, Json.bytes(next), warnings));
        }
        if (heartbeats.isMereBeat(kind, before, next)) {
            Optional<StoredObject> beat = heartbeats.beat(seen, next);
            if (beat.isPresent()) {
                return new Done(Answer.ok(beat.get(), warnings));
            }
        }
        String what = target.isStatus() ? "StatusUpdated" : "Updated";
        Proposal proposal = proposal(kind, what, options)
                .replace(seen, Draft.of(seen.key(), next))
                .build();
        return new Commit(proposal, 0, stored -> Answer.ok(stored, warnings));
    }

    Step removal(Target target, StoredObject seen, WriteOptions options, Function<StoredObject, Answer> answer) {
        if (options.isDryRun()) {
            return new Done(answer.apply(seen));
        }
        Proposal proposal =
                proposal(target.kind(), "Deleted", options).remove(seen).build();
        return new Commit(proposal, 0, answer);
    }

    static Proposal.Builder proposal(Kind kind, String what, WriteOptions options) {
        return Proposal.by(options.actor(), kind.names().kind() + what).because(Cause.request(options.request()));
    }

    /** What the writer says it saw must be what is there. */
    private static void requireSame(Target target, ObjectNode before, ObjectNode metadata) {
        JsonNode was = before.path("metadata");
        String revision = Json.text(metadata, "resourceVersion");
        if (!revision.isEmpty() && !revision.equals("0") && !revision.equals(Json.text(was, "resourceVersion"))) {
            throw new StatusException(target.conflict("the object has been modified; please apply your changes to the"
                    + " latest version and try again"));
        }
        String uid = Json.text(metadata, "uid");
        if (!uid.isEmpty() && !uid.equals(Json.text(was, "uid"))) {
            throw new StatusException(target.conflict("Precondition failed: UID in precondition: " + uid
                    + ", UID in object meta: " + Json.text(was, "uid")));
        }
    }

    private static void refuse(Kind kind, ObjectNode metadata, Violations violations) {
        if (violations.isEmpty()) {
            return;
        }
        String name = Json.text(metadata, "name");
        List<Status.Cause> causes = violations.all().stream()
                .map(each -> new Status.Cause(each.reason(), each.message(), each.field()))
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
