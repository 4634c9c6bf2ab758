package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Collects changes in a hash table and puts them into the tree at the end, in order. For replays, where most objects change many times:
 * finding one costs a single look instead of a walk down the tree.
 */
final class HashedEdits implements ObjectEdits {
    /** Stands for an object that was removed. */
    private static final StoredObject REMOVED = new StoredObject(ObjectKey.parse("none/none"), 0, new byte[0]);

    /** If fewer than one in so many objects changed, only they are touched; otherwise the tree is built anew. */
    private static final int FEW = 8;

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
        ObjectKey[] inOrder = changed.keySet().toArray(new ObjectKey[0]);
        Arrays.sort(inOrder);
        return inOrder.length < base.size() / FEW ? edited(inOrder) : merged(inOrder);
    }

    private ObjectTree edited(ObjectKey[] inOrder) {
        ObjectTree.Editor editor = base.edit();
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

    private ObjectTree merged(ObjectKey[] inOrder) {
        List<StoredObject> all = new ArrayList<>(base.size() + inOrder.length);
        Iterator<StoredObject> unchanged = base.range("", "\uffff");
        StoredObject old = unchanged.hasNext() ? unchanged.next() : null;
        for (ObjectKey key : inOrder) {
            while (old != null && old.key().compareTo(key) < 0) {
                all.add(old);
                old = unchanged.hasNext() ? unchanged.next() : null;
            }
            if (old != null && old.key().equals(key)) {
                old = unchanged.hasNext() ? unchanged.next() : null;
            }
            StoredObject object = changed.get(key);
            if (!isRemoved(object)) {
                all.add(object);
            }
        }
        while (old != null) {
            all.add(old);
            old = unchanged.hasNext() ? unchanged.next() : null;
        }
        return ObjectTree.ofSorted(all.iterator());
    }
}
