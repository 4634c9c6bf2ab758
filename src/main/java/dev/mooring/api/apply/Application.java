package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type.Struct;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Server-side apply: merge what is applied into what is there, remove what is no longer applied, see whom that concerns, and note
 * who owns what. The order of these steps is that of Kubernetes, and who is told of conflicts depends on it.
 */
final class Application {
    private static final int BAD_REQUEST = 400;
    private static final int INTERNAL_ERROR = 500;
    /** Owner of what was there before anybody was noted. */
    private static final String BEFORE = "before-first-apply";

    private final Struct type;
    private final String apiVersion;
    private final UndeclaredFields undeclared;

    Application(Struct type, String apiVersion, UndeclaredFields undeclared) {
        this.type = type;
        this.apiVersion = apiVersion;
        this.undeclared = undeclared;
    }

    Applied apply(Optional<ObjectNode> live, ObjectNode configuration, Manager manager, Force force, Instant now) {
        Optional<Applied> rejected = check(configuration);
        if (rejected.isPresent()) {
            return rejected.get();
        }
        ManagedFields managed;
        try {
            managed = ManagedFields.decode(
                    live.map(object -> object.path("metadata").path("managedFields"))
                            .orElse(Values.NOTHING));
        } catch (UndecodableFields unreadable) {
            return new Applied.Rejected(INTERNAL_ERROR, "failed to decode managed fields: " + unreadable.getMessage());
        }
        return new Attempt(live, configuration, manager, managed, ManagedFields.time(now)).outcome(force);
    }

    private Optional<Applied> check(ObjectNode configuration) {
        String version = configuration.path("apiVersion").asText(apiVersion);
        String kind = configuration.path("kind").asText(type.name());
        String shown = (version.contains("/") ? version : "/" + version) + ", Kind=" + kind;
        if (!version.equals(apiVersion) || !kind.equals(type.name())) {
            return Optional.of(new Applied.Rejected(BAD_REQUEST, "invalid object type: " + shown));
        }
        JsonNode metadata = configuration.path("metadata");
        if (metadata.path("managedFields").isArray()) {
            return Optional.of(new Applied.Rejected(BAD_REQUEST, "metadata.managedFields must be nil"));
        }
        return AppliedCheck.problem(type, configuration, undeclared)
                .map(problem -> new Applied.Rejected(
                        INTERNAL_ERROR,
                        "failed to create typed patch object ("
                                + metadata.path("namespace").asText()
                                + "/" + metadata.path("name").asText() + "; " + shown + "): " + problem));
    }

    /** Applying one configuration to one object. */
    private final class Attempt {
        private final Optional<ObjectNode> live;
        private final ObjectNode configuration;
        private final Manager manager;
        private final Unowned unowned;
        private final Writer writer;
        private final ManagedFields managed;
        private final String now;
        /** The live object, without managedFields. */
        private final ObjectNode there;

        Attempt(
                Optional<ObjectNode> live,
                ObjectNode configuration,
                Manager manager,
                ManagedFields managed,
                String now) {
            this.live = live;
            this.configuration = configuration;
            this.manager = manager;
            this.unowned = Unowned.by(manager, type);
            this.writer = Writer.applying(manager);
            this.managed = managed;
            this.now = now;
            this.there = live.map(ObjectNode::deepCopy).orElse(Values.NOTHING);
            if (there.get("metadata") instanceof ObjectNode metadata) {
                metadata.remove("managedFields");
            }
        }

        Applied outcome(Force force) {
            if (managed.isEmpty() && live.isPresent()) {
                Writer before = Writer.updating(new Manager(BEFORE, manager.subresource(), apiVersion));
                FieldSet fields =
                        Comparison.of(type, Values.NOTHING, there, unowned).changed();
                managed.put(new ManagedFields.Entry(before, apiVersion, fields, now));
            }
            managed.keepOnly(apiVersion);

            ObjectNode wanted = reachable();
            Optional<ManagedFields.Entry> last = managed.of(writer);
            FieldSet fields = FieldsOfValue.of(type, wanted);
            managed.put(new ManagedFields.Entry(writer, apiVersion, fields, ""));
            JsonNode merged = new Pruning(type)
                    .prune(
                            Merge.of(type, there, wanted),
                            last.map(ManagedFields.Entry::fields).orElse(FieldSet.EMPTY),
                            managed.all());

            Comparison comparison = Comparison.of(type, there, merged, unowned);
            if (force == Force.NO) {
                List<FieldConflict> conflicts = conflicts(comparison.changed());
                if (!conflicts.isEmpty()) {
                    return new Applied.Conflicted(conflicts);
                }
            }
            managed.take(comparison.changed().union(comparison.removed()), Optional.of(writer));
            return done(last, fields.difference(Unowned.OF_THE_SERVER), merged, wanted);
        }

        private ObjectNode reachable() {
            ObjectNode wanted = configuration.deepCopy();
            wanted.remove(unowned.unreachable());
            if (wanted.get("metadata") instanceof ObjectNode metadata) {
                metadata.properties()
                        .removeIf(field -> field.getValue().isNull() && Unowned.isOfTheServer(field.getKey()));
            }
            Emptiness.dropEmptyLists(type, wanted);
            return wanted;
        }

        private List<FieldConflict> conflicts(FieldSet changed) {
            FieldSet allowed = ClientSideApply.concerns(manager)
                    ? ClientSideApply.fields(type, apiVersion, there)
                    : FieldSet.EMPTY;
            List<Writer> others = new ArrayList<>(managed.writers());
            others.remove(writer);
            others.sort(Writer.ORDER);
            List<FieldConflict> conflicts = new ArrayList<>();
            for (Writer other : others) {
                for (List<String> path :
                        managed.fieldsOf(other).intersection(changed).paths()) {
                    if (!allowed.has(path)) {
                        conflicts.add(new FieldConflict(other.shown(), FieldSet.shown(path)));
                    }
                }
            }
            return conflicts;
        }

        private Applied done(Optional<ManagedFields.Entry> last, FieldSet owned, JsonNode merged, ObjectNode wanted) {
            ObjectNode object = merged.deepCopy();
            Emptiness.dropNulls(type, object, wanted, managed.all());
            boolean same = live.isPresent() && Values.same(there, object);
            boolean sameOwned = last.isPresent() && last.get().fields().equals(owned);
            String time = same && sameOwned ? last.get().time() : now;
            managed.put(new ManagedFields.Entry(writer, apiVersion, owned, time));
            if (ClientSideApply.concerns(manager)) {
                ClientSideApply.refresh(object, configuration);
            }
            ObjectNode metadata = object.withObjectProperty("metadata");
            if (!managed.isEmpty()) {
                metadata.set("managedFields", managed.encode());
            }
            if (live.isPresent() && Values.same(live.get(), object)) {
                return new Applied.Merged(live.get().deepCopy(), false);
            }
            return new Applied.Merged(object, true);
        }
    }
}
