package dev.mooring.world;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Collects edits in a hash table and merges them into the tree at the end, in order. Used for replays, where most
 * objects change many times: a lookup costs one hash access instead of a tree descent.
 */
final class HashedEdits implements ObjectEdits {
    /** Marks a removed object. */
    private static final StoredObject REMOVED = new StoredObject(ObjectKey.parse("none/none"), 0, new byte[0]);

    /** If fewer than one in this many objects changed, only they are updated; otherwise the tree is rebuilt. */
    private static final int REBUILD_RATIO = 8;

    /** Edits are merged early when the objects they replace use this many bytes, because those are held until then. */
    private static final long HIDDEN_BYTES = 16 << 20;

    private ObjectTree base;
    private long hidden;
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
        if (known != null) {
            return present(known);
        }
        StoredObject before = base.get(key).orElse(null);
        if (before != null) {
            hidden += before.bytes();
            if (hidden > Math.max(HIDDEN_BYTES, base.bytes() / 4)) {
                base = done();
                changed.clear();
                hidden = 0;
            }
        }
        return before;
    }

    @Override
    public WorldUsage usage(Scope scope) {
        WorldUsage usage = base.usage(scope);
        for (Map.Entry<ObjectKey, StoredObject> each : changed.entrySet()) {
            if (scope.contains(each.getKey())) {
                StoredObject now = present(each.getValue());
                usage = usage.minus(of(base.get(each.getKey()).orElse(null))).plus(of(now));
            }
        }
        return usage;
    }

    private static WorldUsage of(StoredObject object) {
        return object == null ? WorldUsage.NONE : new WorldUsage(1, object.bytes());
    }

    private static StoredObject present(StoredObject known) {
        return isRemoved(known) ? null : known;
    }

    @SuppressWarnings("ReferenceEquality") // compared by identity: the marker itself means removed
    private static boolean isRemoved(StoredObject known) {
        return known == REMOVED;
    }

    @Override
    public ObjectTree done() {
        ObjectKey[] inOrder = changed.keySet().toArray(new ObjectKey[0]);
        Arrays.sort(inOrder);
        return inOrder.length < base.size() / REBUILD_RATIO ? edited(inOrder) : merged(inOrder);
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
