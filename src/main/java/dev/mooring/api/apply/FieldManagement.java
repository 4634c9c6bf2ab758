package dev.mooring.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.schema.Type.Struct;
import java.time.Instant;
import java.util.Optional;

/**
 * Keeps {@code metadata.managedFields} of the objects of one kind, and merges what is applied to them. To be asked once per write,
 * when the object is complete (defaults set), before it is stored. A write that changes nothing leaves managedFields as they are,
 * times included. Immutable, for all threads; objects handed in are changed only where it says so.
 */
public final class FieldManagement {
    private static final String MANAGED_FIELDS = "managedFields";

    private final Struct type;
    private final String apiVersion;
    private final Application application;

    /** Of a kind whose fields that the schema does not know are preserved. */
    public FieldManagement(Struct type, String apiVersion) {
        this(type, apiVersion, UndeclaredFields.PRESERVED);
    }

    /** @param apiVersion the only version in which the kind is served: {@code storage.k8s.io/v1} */
    public FieldManagement(Struct type, String apiVersion, UndeclaredFields undeclared) {
        this.type = type;
        this.apiVersion = apiVersion;
        this.application = new Application(type, apiVersion, undeclared);
    }

    /** Gives the fields of a new object to whoever creates it: sets managedFields in the object. */
    public void created(ObjectNode object, Manager manager, Instant now) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        Unowned unowned = Unowned.by(manager, type);
        if (!metadata.path(MANAGED_FIELDS).isEmpty()) {
            ManagedFields managed = decodeOrNone(metadata.path(MANAGED_FIELDS));
            write(object, Comparison.of(type, Values.NOTHING, object, unowned), managed, manager, now);
            return;
        }
        ObjectNode fields = CreatedFields.of(type, object, unowned);
        metadata.remove(MANAGED_FIELDS);
        if (!fields.isEmpty()) {
            metadata.putArray(MANAGED_FIELDS)
                    .add(ManagedFields.encodeEntry(
                            Writer.updating(manager), manager.apiVersion(), ManagedFields.time(now), fields));
        }
    }

    /**
     * Gives the fields in which the next state differs from the one before to whoever writes it: sets managedFields in the next
     * state. What it has there already counts if it can be read (so that clients can edit it); an empty list gives all fields up.
     */
    public void updated(ObjectNode before, ObjectNode next, Manager manager, Instant now) {
        JsonNode stored = before.path("metadata").path(MANAGED_FIELDS);
        JsonNode sent = manager.subresource().isEmpty() ? next.path("metadata").path(MANAGED_FIELDS) : stored;
        if (isReset(sent)) {
            set(next, ManagedFields.none());
            return;
        }
        Comparison comparison = Comparison.of(type, before, next, Unowned.by(manager, type));
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
     * Merges a configuration into the object that is there, or makes a new one of it. The object that comes out is to be completed
     * (defaults) and stored; neither of those handed in is changed.
     */
    public Applied apply(
            Optional<ObjectNode> live, ObjectNode configuration, Manager manager, Force force, Instant now) {
        return application.apply(live, configuration, manager, force, now);
    }

    /**
     * Takes the times in managedFields of the next state back if it differs from the one before in nothing else. For writes whose
     * effect is only known when the object is complete: a default or another way to write a quantity may undo a change.
     */
    public static void keepTimesIfNothingElseChanged(ObjectNode before, ObjectNode next) {
        JsonNode stored = before.path("metadata").path(MANAGED_FIELDS);
        if (!stored.isEmpty() && Values.same(withoutTimes(before), withoutTimes(next))) {
            next.withObjectProperty("metadata").set(MANAGED_FIELDS, stored);
        }
    }

    private static ObjectNode withoutTimes(ObjectNode object) {
        ObjectNode copy = object.deepCopy();
        copy.path("metadata").path(MANAGED_FIELDS).forEach(entry -> ((ObjectNode) entry).remove("time"));
        return copy;
    }

    private void write(ObjectNode object, Comparison comparison, ManagedFields managed, Manager manager, Instant now) {
        managed.keepOnly(apiVersion);
        managed.take(comparison.changed().union(comparison.removed()), Optional.empty());
        if (!comparison.changed().isEmpty()) {
            Writer writer = Writer.updating(manager);
            FieldSet fields = managed.fieldsOf(writer).union(comparison.changed());
            managed.put(new ManagedFields.Entry(writer, apiVersion, fields, ManagedFields.time(now)));
        }
        managed.cap();
        set(object, managed);
    }

    /** Whether somebody wants to start anew: an empty list, or one empty entry. */
    private static boolean isReset(JsonNode sent) {
        boolean oneEmpty =
                sent.size() == 1 && sent.get(0).isObject() && sent.get(0).isEmpty();
        return sent.isArray() && (sent.isEmpty() || oneEmpty);
    }

    private static ManagedFields decodeOrNone(JsonNode encoded) {
        try {
            return ManagedFields.decode(encoded);
        } catch (UndecodableFields unreadable) {
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
}
