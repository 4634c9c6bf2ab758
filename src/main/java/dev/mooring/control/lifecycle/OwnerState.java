package dev.mooring.control.lifecycle;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.Optional;

/** The state of an owner from the view of a dependent, in one World. */
enum OwnerState {
    /** The owner exists, or its existence cannot be determined: the dependent stays. */
    PRESENT,
    /** The owner is being deleted in the foreground, after its dependents. */
    DELETING_FOREGROUND,
    /** The owner is being deleted and orphans its dependents. */
    ORPHANING,
    /** The owner is gone; another object of the same name does not count. */
    ABSENT,
    /** The owner is in another namespace, which is invalid and probably a mistake, so the dependent stays. */
    OTHER_NAMESPACE;

    static final String FOREGROUND = "foregroundDeletion";
    static final String ORPHAN = "orphan";

    static OwnerState of(World world, ObjectKey dependent, OwnerReference owner) {
        Optional<ObjectKey> key = owner.keyFor(dependent);
        if (key.isEmpty()) {
            return owner.kindEntry().isPresent()
                            && dependent.namespace().isEmpty()
                            && !owner.name().isEmpty()
                    ? OTHER_NAMESPACE
                    : PRESENT;
        }
        Optional<StoredObject> found = world.get(key.get()).filter(object -> hasUidOf(object, owner));
        if (found.isPresent()) {
            return of(found.get());
        }
        return isInOtherNamespace(world, key.get(), owner) ? OTHER_NAMESPACE : ABSENT;
    }

    private static OwnerState of(StoredObject owner) {
        if (!owner.containsText("deletionTimestamp")) {
            return PRESENT;
        }
        ObjectNode object = owner.tree();
        if (isOrphaning(object)) {
            return ORPHANING;
        }
        return isForegroundDeletion(object) ? DELETING_FOREGROUND : PRESENT;
    }

    /** Returns whether the owner is terminating with the foreground or orphan finalizer. */
    static boolean hasDependentFinalizer(StoredObject owner) {
        OwnerState standing = of(owner);
        return standing == ORPHANING || standing == DELETING_FOREGROUND;
    }

    static boolean isOrphaning(JsonNode object) {
        return isDeletedWith(object, ORPHAN);
    }

    static boolean isForegroundDeletion(JsonNode object) {
        return isDeletedWith(object, FOREGROUND);
    }

    private static boolean isDeletedWith(JsonNode object, String finalizer) {
        JsonNode metadata = object.path("metadata");
        if (metadata.hasNonNull("deletionTimestamp")) {
            for (JsonNode each : metadata.path("finalizers")) {
                if (each.asText().equals(finalizer)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isInOtherNamespace(World world, ObjectKey key, OwnerReference owner) {
        if (key.namespace().isEmpty()) {
            return false;
        }
        KindResources.ResourceKind kind = owner.kindEntry().orElseThrow();
        for (StoredObject namespace : world.list(Scope.resource("namespaces"))) {
            Optional<StoredObject> candidate =
                    world.get(kind.key(namespace.key().name(), owner.name()));
            if (candidate.filter(object -> hasUidOf(object, owner)).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasUidOf(StoredObject object, OwnerReference owner) {
        return StoredJson.uid(object).equals(owner.uid());
    }
}
