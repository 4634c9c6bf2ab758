package dev.mooring.api.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.types.SchemaType;
import dev.mooring.api.types.SchemaType.ListOf;
import dev.mooring.api.types.SchemaType.Struct;
import dev.mooring.model.JsonValues;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Maintains {@code metadata.managedFields} for one kind, and merges applied configurations. Call once per write, after
 * defaulting and before the object is stored. A write that changes nothing leaves managedFields unchanged, including
 * its times. Immutable and thread-safe; arguments are modified only where documented.
 */
public final class FieldManager {
    private static final String MANAGED_FIELDS = "managedFields";

    private final Struct type;
    private final String apiVersion;
    private final ServerSideApply serverSideApply;

    /** Creates a manager for a kind that preserves fields unknown to the schema. */
    public FieldManager(Struct type, String apiVersion) {
        this(type, apiVersion, UndeclaredFields.PRESERVED);
    }

    /** @param apiVersion the only version in which the kind is served: {@code storage.k8s.io/v1} */
    public FieldManager(Struct type, String apiVersion, UndeclaredFields undeclared) {
        this.type = type;
        this.apiVersion = apiVersion;
        this.serverSideApply = new ServerSideApply(type, apiVersion, undeclared);
    }

    /** Records the creator as owner of all fields: sets managedFields in the object. */
    public void recordCreate(ObjectNode object, Manager manager, Instant now) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        UnownedFields unowned = UnownedFields.forManager(manager, type);
        if (!metadata.path(MANAGED_FIELDS).isEmpty()) {
            ManagedFields managed = decodeOrNone(metadata.path(MANAGED_FIELDS));
            write(object, Comparison.of(type, JsonValues.EMPTY_OBJECT, object, unowned), managed, manager, now);
            return;
        }
        ObjectNode fields = CreatedFields.of(type, object, unowned);
        metadata.remove(MANAGED_FIELDS);
        if (!fields.isEmpty()) {
            metadata.putArray(MANAGED_FIELDS)
                    .add(ManagedFields.encodeEntry(
                            ManagerIdentifier.updater(manager), manager.apiVersion(), ManagedFields.time(now), fields));
        }
    }

    /**
     * Records the writer as owner of all fields that differ between the two states: sets managedFields in {@code next}.
     * Clients may edit managedFields: a decodable value in {@code next} is the base, and an empty list resets all
     * ownership.
     */
    public void recordUpdate(ObjectNode before, ObjectNode next, Manager manager, Instant now) {
        JsonNode stored = before.path("metadata").path(MANAGED_FIELDS);
        JsonNode sent = manager.subresource().isEmpty() ? next.path("metadata").path(MANAGED_FIELDS) : stored;
        if (isReset(sent)) {
            set(next, ManagedFields.none());
            return;
        }
        Comparison comparison = Comparison.of(type, before, next, UnownedFields.forManager(manager, type));
        boolean edited = !sent.isEmpty() && !sent.equals(stored);
        ManagedFields managed = edited ? decodeOrNone(sent) : ManagedFields.none();
        if (managed.isEmpty()) {
            if (stored.isEmpty() || comparison.isSame()) {
                keep(next, stored);
                return;
            }
            managed = decodeOrNone(stored);
        }
        if (managed.isEmpty()) {
            set(next, managed);
        } else {
            write(next, comparison, managed, manager, now);
        }
    }

    /**
     * Merges a configuration into the live object, or creates an object from it. The caller must default and store the
     * result; the arguments are not modified.
     */
    public ApplyResult apply(
            Optional<ObjectNode> live, ObjectNode configuration, Manager manager, Force force, Instant now) {
        return serverSideApply.apply(live, configuration, manager, force, now);
    }

    /**
     * Restores the times in managedFields of {@code next} if nothing else differs from {@code before}. For writes whose
     * effect is only known after defaulting: a default or another notation of a quantity may undo a change.
     */
    public static void keepTimesIfNothingElseChanged(ObjectNode before, ObjectNode next) {
        JsonNode stored = before.path("metadata").path(MANAGED_FIELDS);
        if (!stored.isEmpty() && JsonValues.areEqual(withoutTimes(before), withoutTimes(next))) {
            next.withObjectProperty("metadata").set(MANAGED_FIELDS, stored);
        }
    }

    private static ObjectNode withoutTimes(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        copy.path("metadata").path(MANAGED_FIELDS).forEach(entry -> ((ObjectNode) entry).remove("time"));
        return copy;
    }

    private void write(ObjectNode object, Comparison comparison, ManagedFields managed, Manager manager, Instant now) {
        managed.keepOnlyVersion(apiVersion);
        managed.removeFields(comparison.changed().union(comparison.removed()), Optional.empty());
        if (!comparison.changed().isEmpty()) {
            ManagerIdentifier writer = ManagerIdentifier.updater(manager);
            FieldSet fields = managed.fieldsOf(writer).union(comparison.changed());
            managed.put(new ManagedFields.Entry(writer, apiVersion, fields, ManagedFields.time(now)));
        }
        managed.capUpdaters();
        set(object, managed);
    }

    /** Returns whether the client resets managedFields: an empty list, or a list with one empty entry. */
    private static boolean isReset(JsonNode sent) {
        boolean oneEmpty =
                sent.size() == 1 && sent.get(0).isObject() && sent.get(0).isEmpty();
        return sent.isArray() && (sent.isEmpty() || oneEmpty);
    }

    private static ManagedFields decodeOrNone(JsonNode encoded) {
        try {
            return ManagedFields.decode(encoded);
        } catch (UndecodableFieldsException unreadable) {
            return ManagedFields.none();
        }
    }

    private static void keep(ObjectNode object, JsonNode stored) {
        if (stored.isEmpty()) {
            set(object, ManagedFields.none());
        } else {
            object.withObjectProperty("metadata").set(MANAGED_FIELDS, stored);
        }
    }

    private static void set(ObjectNode object, ManagedFields managed) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        if (managed.isEmpty()) {
            metadata.remove(MANAGED_FIELDS);
        } else {
            metadata.set(MANAGED_FIELDS, managed.encode());
        }
    }

    /** How an apply handles conflicts with other managers. */
    public enum Force {
        /** Changes nothing and reports the conflicts. */
        NO,
        /** Takes ownership of the fields. */
        YES
    }

    /** How an apply handles fields that the schema does not declare. */
    public enum UndeclaredFields {
        /** Preserved; each has one owner as a whole. For kinds and servers that accept such fields. */
        PRESERVED,
        /** Rejected, as Kubernetes does for built-in kinds: {@code .spec.x: field not declared in schema}. */
        REFUSED
    }

    /**
     * Encodes the fields of a new object as FieldsV1 in one pass. Equivalent to a {@link Comparison} with an empty
     * object, but without intermediate sets, because creates are the most frequent writes.
     */
    static final class CreatedFields {
        private CreatedFields() {}

        static ObjectNode of(Struct type, ObjectNode object, UnownedFields unowned) {
            ObjectNode out = JsonNodeFactory.instance.objectNode();
            fields(out, type, object, unowned.top(), true);
            return out;
        }

        /** @param wasThere whether the object that holds the fields existed, empty, before the create */
        private static void fields(
                ObjectNode out, SchemaType type, JsonNode object, Set<String> skipped, boolean wasThere) {
            for (String name : sortedNames(object)) {
                JsonNode value = object.get(name);
                if (value.isNull() || skipped.contains(name)) {
                    continue;
                }
                SchemaType below = TypeGranularity.childType(type, name);
                String step = PathElement.field(name);
                boolean alwaysThere = wasThere && TypeGranularity.isAlwaysPresent(type, name);
                if (alwaysThere && value.isObject() && TypeGranularity.isGranularObject(below)) {
                    ObjectNode part = JsonNodeFactory.instance.objectNode();
                    fields(part, below, value, skipped.isEmpty() ? skipped : UnownedFields.skippedBelow(name), true);
                    if (!part.isEmpty()) {
                        out.set(step, part);
                    }
                } else if (!alwaysThere || !value.isEmpty()) {
                    value(out, step, below, value);
                    if (alwaysThere) {
                        ((ObjectNode) out.get(step)).remove(PathElement.SELF);
                    }
                }
            }
        }

        private static void value(ObjectNode out, String step, SchemaType type, JsonNode value) {
            ObjectNode part = out.putObject(step);
            if (!value.isContainerNode() || value.isEmpty()) {
                return;
            }
            if (value.isObject() && TypeGranularity.isGranularObject(type)) {
                part.putObject(PathElement.SELF);
                fields(part, type, value, Set.of(), false);
            } else if (value.isArray() && TypeGranularity.isGranularList(type)) {
                Optional<ListItems> items = ListItems.of((ListOf) type, value);
                if (items.isPresent()) {
                    part.putObject(PathElement.SELF);
                    items(part, (ListOf) type, items.get());
                }
            }
        }

        private static void items(ObjectNode out, ListOf type, ListItems items) {
            String[] steps = items.order().toArray(new String[0]);
            Arrays.sort(steps, PathElement::compare);
            String last = "";
            for (String step : steps) {
                if (!step.equals(last)) {
                    if (items.at(step).size() == 1) {
                        value(out, step, type.element(), items.at(step).get(0));
                    } else {
                        out.putObject(step);
                    }
                }
                last = step;
            }
        }

        private static String[] sortedNames(JsonNode object) {
            String[] names = new String[object.size()];
            int size = 0;
            for (Map.Entry<String, JsonNode> field : object.properties()) {
                names[size++] = field.getKey();
            }
            Arrays.sort(names);
            return names;
        }
    }
}
