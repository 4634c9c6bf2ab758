package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.Optional;

/** Changes on the way from one tree to the next. For one thread; useless after {@link #done}. */
interface ObjectEdits {
    Optional<StoredObject> get(ObjectKey key);

    /** Puts an object in; what was there before, or null. */
    StoredObject put(StoredObject object);

    /** Takes an object out; what was there, or null. */
    StoredObject remove(ObjectKey key);

    ObjectTree done();
}
