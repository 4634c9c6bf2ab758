package dev.mooring.control.collect;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.StoredJson;
import dev.mooring.model.KindResources;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.world.World;
import java.util.Optional;

/** What an owner is to a dependent of it, in one World. */
enum Standing {
    /** It is there, or it cannot be told whether it is: the dependent stays. */
    THERE,
    /** It is being deleted, but only after its dependents. */
    WAITS_FOR_DEPENDENTS,
    /** It is being deleted and leaves its dependents behind. */
    LEAVES_DEPENDENTS,
    /** It is gone for good; another of the same name is not the one. */
    GONE,
    /** It is in another namespace, where the dependent cannot belong to it; most likely a mistake, so the dependent stays. */
    ELSEWHERE;

    static final String FOREGROUND = "foregroundDeletion";
    static final String ORPHAN = "orphan";

    static Standing of(World world, ObjectKey dependent, Owner owner) {
        Optional<ObjectKey> key = owner.keyFor(dependent);
        if (key.isEmpty()) {
            return owner.kindEntry().isPresent()
                            && dependent.namespace().isEmpty()
                            && !owner.name().isEmpty()
                    ? ELSEWHERE
                    : THERE;
        }
        Optional<StoredObject> found = world.get(key.get()).filter(object -> isOf(object, owner));
        if (found.isPresent()) {
            return of(found.get());
        }
        return isElsewhere(world, key.get(), owner) ? ELSEWHERE : GONE;
    }

    private static Standing of(StoredObject owner) {
        if (!StoredJson.mentions(owner, "deletionTimestamp")) {
            return THERE;
        }
        ObjectNode object = StoredJson.tree(owner);
        if (leavesDependents(object)) {
            return LEAVES_DEPENDENTS;
        }
        return waitsForDependents(object) ? WAITS_FOR_DEPENDENTS : THERE;
    }

    /** Whether it is being deleted and something is to become of its dependents first. */
    static boolean caresForDependents(StoredObject owner) {
        Standing standing = of(owner);
        return standing == LEAVES_DEPENDENTS || standing == WAITS_FOR_DEPENDENTS;
    }

    static boolean leavesDependents(JsonNode object) {
        return isDeletedWith(object, ORPHAN);
    }

    static boolean waitsForDependents(JsonNode object) {
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

    private static boolean isElsewhere(World world, ObjectKey key, Owner owner) {
        if (key.namespace().isEmpty()) {
            return false;
        }
        KindResources.Entry kind = owner.kindEntry().orElseThrow();
        for (StoredObject namespace : world.list(Scope.resource("namespaces"))) {
            Optional<StoredObject> candidate =
                    world.get(kind.key(namespace.key().name(), owner.name()));
            if (candidate.filter(object -> isOf(object, owner)).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOf(StoredObject object, Owner owner) {
        return StoredJson.uid(object).equals(owner.uid());
    }
}
