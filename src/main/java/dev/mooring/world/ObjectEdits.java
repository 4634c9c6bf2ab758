package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/** Edits that lead from one tree to the next. Not thread-safe; must not be used after {@link #done}. */
interface ObjectEdits {
    Optional<StoredObject> get(ObjectKey key);

    /** Puts an object. Returns the previous one, or null. */
    StoredObject put(StoredObject object);

    /** Removes an object. Returns it, or null. */
    StoredObject remove(ObjectKey key);

    /** Returns the current usage of a scope. */
    WorldUsage usage(Scope scope);

    ObjectTree done();
}
