package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.Struct;
import dev.mooring.model.JsonValues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private final FieldManager.UndeclaredFields undeclared;

    ServerSideApply(Struct type, String apiVersion, FieldManager.UndeclaredFields undeclared) {
        this.type = type;
        this.apiVersion = apiVersion;
        this.undeclared = undeclared;
    }

    ApplyResult apply(
            Optional<ObjectNode> live,
            ObjectNode configuration,
            Manager manager,
            FieldManager.Force force,
            Instant now) {
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

        ApplyResult run(FieldManager.Force force) {
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
            if (force == FieldManager.Force.NO) {
                List<ApplyResult.FieldConflict> conflicts = conflicts(comparison.changed());
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

        private List<ApplyResult.FieldConflict> conflicts(FieldSet changed) {
            FieldSet allowed = ClientSideApply.appliesTo(manager)
                    ? ClientSideApply.fields(type, apiVersion, liveObject)
                    : FieldSet.EMPTY;
            List<ManagerIdentifier> others = new ArrayList<>(managed.managers());
            others.remove(writer);
            others.sort(ManagerIdentifier.ORDER);
            List<ApplyResult.FieldConflict> conflicts = new ArrayList<>();
            for (ManagerIdentifier other : others) {
                for (List<String> path :
                        managed.fieldsOf(other).intersection(changed).paths()) {
                    if (!allowed.has(path)) {
                        conflicts.add(new ApplyResult.FieldConflict(other.format(), FieldSet.format(path)));
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

    /**
     * Removes empty values. Kubernetes gets this from the Go types it decodes the result into; here it is explicit, so
     * that applying the same configuration again changes nothing.
     */
    private static final class EmptyValuePruner {
        private EmptyValuePruner() {}

        /** Removes empty lists, which have no owner, unless they are atomic. Modifies the configuration. */
        static void dropEmptyLists(SchemaType type, JsonNode wanted) {
            if (wanted.isObject() && TypeGranularity.isGranularObject(type)) {
                wanted.properties().removeIf(field -> {
                    SchemaType below = TypeGranularity.childType(type, field.getKey());
                    dropEmptyLists(below, field.getValue());
                    return TypeGranularity.isGranularList(below)
                            && field.getValue().isArray()
                            && field.getValue().isEmpty();
                });
            } else if (wanted.isArray() && TypeGranularity.isGranularList(type)) {
                wanted.forEach(item -> dropEmptyLists(((ListOf) type).element(), item));
            }
        }

        /**
         * Removes nulls from a merged object: applied nulls, and values that became empty. Of the latter, values that a
         * manager owns themselves stay as empty values. Modifies the object.
         */
        static void dropNulls(SchemaType type, JsonNode merged, JsonNode wanted, FieldSet owned) {
            if (merged instanceof ObjectNode object && TypeGranularity.isGranularObject(type)) {
                object.properties().removeIf(field -> isGone(type, field, wanted, owned));
            } else if (merged instanceof ArrayNode list && TypeGranularity.isGranularList(type)) {
                dropNullItems((ListOf) type, list, owned);
            }
        }

        private static boolean isGone(
                SchemaType type, Map.Entry<String, JsonNode> field, JsonNode wanted, FieldSet owned) {
            SchemaType below = TypeGranularity.childType(type, field.getKey());
            String step = PathElement.field(field.getKey());
            JsonNode wantedBelow = wanted.path(field.getKey());
            if (!field.getValue().isNull()) {
                dropNulls(below, field.getValue(), wantedBelow, owned.childSet(step));
                return false;
            }
            boolean open = TypeGranularity.isGranularObject(below) || TypeGranularity.isGranularList(below);
            if (wantedBelow.isNull() || !open || !owned.has(step)) {
                return true;
            }
            JsonNodeFactory nodes = JsonNodeFactory.instance;
            field.setValue(TypeGranularity.isGranularObject(below) ? nodes.objectNode() : nodes.arrayNode());
            return false;
        }

        private static void dropNullItems(ListOf type, ArrayNode list, FieldSet owned) {
            for (int i = list.size() - 1; i >= 0; i--) {
                JsonNode item = list.get(i);
                if (item.isNull()) {
                    list.remove(i);
                } else if (ListItems.problem(type, item).isEmpty()) {
                    dropNulls(
                            type.element(), item, JsonValues.EMPTY_OBJECT, owned.childSet(ListItems.step(type, item)));
                }
            }
        }
    }

    /**
     * Removes fields from a merged object that the applier applied before and no longer applies, unless another manager
     * owns them. Values that become empty are set to null.
     */
    private static final class ApplyPruner {
        private final Struct type;

        ApplyPruner(Struct type) {
            this.type = type;
        }

        /**
         * @param last fields that the applier owned until now
         * @param owned fields that any manager owns from now on, including the applier's new ones
         */
        JsonNode prune(JsonNode merged, FieldSet last, FieldSet owned) {
            if (last.isEmpty()) {
                return merged;
            }
            FieldSet all = withParents(type, AppliedFields.of(type, merged));
            FieldSet previous = withParents(type, last);
            JsonNode withoutPrevious = remove(type, merged, previous);
            FieldSet others =
                    withParents(type, AppliedFields.of(type, withoutPrevious)).union(withParents(type, owned));
            JsonNode withOwned = remove(type, merged, all.difference(others));
            FieldSet kept = withParents(type, AppliedFields.of(type, withOwned));
            // Fields without an owner are not in the set either, so only fields that the applier owned are removed.
            return remove(type, merged, all.difference(kept).intersection(previous));
        }

        /** Adds the schema fields that hold members but are not members themselves. */
        private static FieldSet withParents(SchemaType type, FieldSet set) {
            FieldSet.Builder out = new FieldSet.Builder();
            for (int i = 0; i < set.width(); i++) {
                String step = set.element(i);
                boolean holder = !set.child(i).isEmpty()
                        && PathElement.isField(step)
                        && TypeGranularity.declares(type, PathElement.fieldName(step));
                out.add(
                        step,
                        set.isMember(i) || holder,
                        withParents(TypeGranularity.childTypeAt(type, step), set.child(i)));
            }
            return out.build();
        }

        private static JsonNode remove(SchemaType type, JsonNode value, FieldSet fields) {
            if (value.isObject()) {
                return TypeGranularity.isGranularObject(type) ? removeFields(type, value, fields) : NullNode.instance;
            }
            if (value.isArray()) {
                return TypeGranularity.isGranularList(type)
                        ? removeItems((ListOf) type, value, fields)
                        : NullNode.instance;
            }
            return value;
        }

        private static JsonNode removeFields(SchemaType type, JsonNode object, FieldSet fields) {
            ObjectNode out = JsonNodeFactory.instance.objectNode();
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                String step = PathElement.field(field.getKey());
                FieldSet below = fields.childSet(step);
                if (!fields.has(step)) {
                    out.set(
                            field.getKey(),
                            below.isEmpty()
                                    ? field.getValue()
                                    : remove(TypeGranularity.childType(type, field.getKey()), field.getValue(), below));
                }
            }
            return out.isEmpty() ? NullNode.instance : out;
        }

        private static JsonNode removeItems(ListOf type, JsonNode list, FieldSet fields) {
            ArrayNode out = JsonNodeFactory.instance.arrayNode();
            for (JsonNode item : list) {
                String step = ListItems.problem(type, item).isEmpty() ? ListItems.step(type, item) : "";
                if (step.isEmpty() || !fields.has(step)) {
                    FieldSet below = step.isEmpty() ? FieldSet.EMPTY : fields.childSet(step);
                    out.add(below.isEmpty() ? item : remove(type.element(), item, below));
                }
            }
            return out.isEmpty() ? NullNode.instance : out;
        }
    }
}
