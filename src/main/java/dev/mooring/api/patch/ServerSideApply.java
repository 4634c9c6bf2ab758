package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType.Struct;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Server-side apply: merges the applied configuration into the live object, removes fields that are no longer applied,
 * detects conflicts and records ownership. The steps run in Kubernetes' order, because the reported conflicts depend on
 * it.
 */
final class ServerSideApply {
    private static final int BAD_REQUEST = 400;
    private static final int INTERNAL_ERROR = 500;
    /** Manager of the fields that existed before the first apply was recorded. */
    private static final String BEFORE_FIRST_APPLY = "before-first-apply";

    private final Struct type;
    private final String apiVersion;
    private final UndeclaredFields undeclared;

    ServerSideApply(Struct type, String apiVersion, UndeclaredFields undeclared) {
        this.type = type;
        this.apiVersion = apiVersion;
        this.undeclared = undeclared;
    }

    ApplyResult apply(Optional<ObjectNode> live, ObjectNode configuration, Manager manager, Force force, Instant now) {
        Optional<ApplyResult> rejected = check(configuration);
        if (rejected.isPresent()) {
            return rejected.get();
        }
        ManagedFields managed;
        try {
            managed = ManagedFields.decode(
                    live.map(object -> object.path("metadata").path("managedFields"))
                            .orElse(JsonValues.EMPTY_OBJECT));
        } catch (UndecodableFieldsException unreadable) {
            return new ApplyResult.Rejected(
                    INTERNAL_ERROR, "failed to decode managed fields: " + unreadable.getMessage());
        }
        return new ApplyAttempt(live, configuration, manager, managed, ManagedFields.time(now)).run(force);
    }

    private Optional<ApplyResult> check(ObjectNode configuration) {
        String version = configuration.path("apiVersion").asText(apiVersion);
        String kind = configuration.path("kind").asText(type.name());
        String shown = (version.contains("/") ? version : "/" + version) + ", Kind=" + kind;
        if (!version.equals(apiVersion) || !kind.equals(type.name())) {
            return Optional.of(new ApplyResult.Rejected(BAD_REQUEST, "invalid object type: " + shown));
        }
        JsonNode metadata = configuration.path("metadata");
        if (metadata.path("managedFields").isArray()) {
            return Optional.of(new ApplyResult.Rejected(BAD_REQUEST, "metadata.managedFields must be nil"));
        }
        return ApplyValidator.validate(type, configuration, undeclared)
                .map(problem -> new ApplyResult.Rejected(
                        INTERNAL_ERROR,
                        "failed to create typed patch object ("
                                + metadata.path("namespace").asText()
                                + "/" + metadata.path("name").asText() + "; " + shown + "): " + problem));
    }

    /** The application of one configuration to one object. */
    private final class ApplyAttempt {
        private final Optional<ObjectNode> live;
        private final ObjectNode configuration;
        private final Manager manager;
        private final UnownedFields unowned;
        private final ManagerIdentifier writer;
        private final ManagedFields managed;
        private final String now;
        /** The live object, without managedFields. */
        private final ObjectNode liveObject;

        ApplyAttempt(
                Optional<ObjectNode> live,
                ObjectNode configuration,
                Manager manager,
                ManagedFields managed,
                String now) {
            this.live = live;
            this.configuration = configuration;
            this.manager = manager;
            this.unowned = UnownedFields.forManager(manager, type);
            this.writer = ManagerIdentifier.applier(manager);
            this.managed = managed;
            this.now = now;
            this.liveObject = live.map(ObjectNode::deepCopy).orElse(JsonValues.EMPTY_OBJECT);
            if (liveObject.get("metadata") instanceof ObjectNode metadata) {
                metadata.remove("managedFields");
            }
        }

        ApplyResult run(Force force) {
            if (managed.isEmpty() && live.isPresent()) {
                ManagerIdentifier before =
                        ManagerIdentifier.updater(new Manager(BEFORE_FIRST_APPLY, manager.subresource(), apiVersion));
                FieldSet fields = Comparison.of(type, JsonValues.EMPTY_OBJECT, liveObject, unowned)
                        .changed();
                managed.put(new ManagedFields.Entry(before, apiVersion, fields, now));
            }
            managed.keepOnlyVersion(apiVersion);

            ObjectNode wanted = reachable();
            Optional<ManagedFields.Entry> last = managed.entryOf(writer);
            FieldSet fields = AppliedFields.of(type, wanted);
            managed.put(new ManagedFields.Entry(writer, apiVersion, fields, ""));
            JsonNode merged = new ApplyPruner(type)
                    .prune(
                            Merge.merge(type, liveObject, wanted),
                            last.map(ManagedFields.Entry::fields).orElse(FieldSet.EMPTY),
                            managed.all());

            Comparison comparison = Comparison.of(type, liveObject, merged, unowned);
            if (force == Force.NO) {
                List<FieldConflict> conflicts = conflicts(comparison.changed());
                if (!conflicts.isEmpty()) {
                    return new ApplyResult.Conflicted(conflicts);
                }
            }
            managed.removeFields(comparison.changed().union(comparison.removed()), Optional.of(writer));
            return done(last, fields.difference(UnownedFields.SERVER_MANAGED), merged, wanted);
        }

        private ObjectNode reachable() {
            ObjectNode wanted = configuration.deepCopy();
            wanted.remove(unowned.unreachable());
            if (wanted.get("metadata") instanceof ObjectNode metadata) {
                metadata.properties()
                        .removeIf(field -> field.getValue().isNull() && UnownedFields.isServerManaged(field.getKey()));
            }
            EmptyValuePruner.dropEmptyLists(type, wanted);
            return wanted;
        }

        private List<FieldConflict> conflicts(FieldSet changed) {
            FieldSet allowed = ClientSideApply.appliesTo(manager)
                    ? ClientSideApply.fields(type, apiVersion, liveObject)
                    : FieldSet.EMPTY;
            List<ManagerIdentifier> others = new ArrayList<>(managed.managers());
            others.remove(writer);
            others.sort(ManagerIdentifier.ORDER);
            List<FieldConflict> conflicts = new ArrayList<>();
            for (ManagerIdentifier other : others) {
                for (List<String> path :
                        managed.fieldsOf(other).intersection(changed).paths()) {
                    if (!allowed.has(path)) {
                        conflicts.add(new FieldConflict(other.format(), FieldSet.format(path)));
                    }
                }
            }
            return conflicts;
        }

        private ApplyResult done(
                Optional<ManagedFields.Entry> last, FieldSet owned, JsonNode merged, ObjectNode wanted) {
            ObjectNode object = merged.deepCopy();
            EmptyValuePruner.dropNulls(type, object, wanted, managed.all());
            boolean same = live.isPresent() && JsonValues.areEqual(liveObject, object);
            boolean sameOwned = last.isPresent() && last.get().fields().equals(owned);
            String time = same && sameOwned ? last.get().time() : now;
            managed.put(new ManagedFields.Entry(writer, apiVersion, owned, time));
            if (ClientSideApply.appliesTo(manager)) {
                ClientSideApply.refreshAnnotation(object, configuration);
            }
            ObjectNode metadata = object.withObjectProperty("metadata");
            if (!managed.isEmpty()) {
                metadata.set("managedFields", managed.encode());
            }
            if (live.isPresent() && JsonValues.areEqual(live.get(), object)) {
                return new ApplyResult.Merged(live.get().deepCopy(), false);
            }
            return new ApplyResult.Merged(object, true);
        }
    }
}
