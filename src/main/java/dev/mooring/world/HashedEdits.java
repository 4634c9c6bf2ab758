package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Collects changes in a hash table and puts them into the tree at the end, in order. For replays, where most objects change many times:
 * finding one costs a single look instead of a walk down the tree.
 */
final class HashedEdits implements ObjectEdits {
    /** Stands for an object that was removed. */
    private static final StoredObject REMOVED = new StoredObject(ObjectKey.parse("none/none"), 0, new byte[0]);

    private final ObjectTree base;
    private final Map<ObjectKey, StoredObject> changed = new HashMap<>();

    HashedEdits(ObjectTree base) {
        this.base = base;
    }

    @Override
    public Optional<StoredObject> get(ObjectKey key) {
        StoredObject known = changed.get(key);
        return known == null ? base.get(key) : Optional.ofNullable(present(known));
    }

    @Override
    public StoredObject put(StoredObject object) {
        return change(object.key(), object);
    }

    @Override
    public StoredObject remove(ObjectKey key) {
        return change(key, REMOVED);
    }

    private StoredObject change(ObjectKey key, StoredObject to) {
        StoredObject known = changed.put(key, to);
        return known == null ? base.get(key).orElse(null) : present(known);
    }

    private static StoredObject present(StoredObject known) {
        return isRemoved(known) ? null : known;
    }

    @SuppressWarnings("ReferenceEquality") // it is this very object that means removed
    private static boolean isRemoved(StoredObject known) {
        return known == REMOVED;
    }

    @Override
    public ObjectTree done() {
        ObjectTree.Editor editor = base.edit();
        ObjectKey[] inOrder = changed.keySet().toArray(new ObjectKey[0]);
        Arrays.sort(inOrder);
        for (ObjectKey key : inOrder) {
            StoredObject object = changed.get(key);
            if (isRemoved(object)) {
                editor.remove(key);
            } else {
                editor.put(object);
            }
        }
        return editor.done();
    }
}
