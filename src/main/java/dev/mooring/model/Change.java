package dev.mooring.model;

/**
 * The change of one object in an event.
 *
 * @param kind whether the object was put or removed
 * @param object the object afterwards; for a removal its last state, with the removal's revision
 * @param prior the revision that wrote the object before this one; 0 if it did not exist. Following it backwards gives
 *     the object's history without a search.
 */
public record Change(Kind kind, StoredObject object, long prior) {
    /** Whether the object was put or removed. */
    public enum Kind {
        PUT,
        REMOVED
    }

    public static Change put(StoredObject object, long prior) {
        return new Change(Kind.PUT, object, prior);
    }

    public static Change removed(StoredObject last, long prior) {
        return new Change(Kind.REMOVED, last, prior);
    }

    public ObjectKey key() {
        return object.key();
    }

    public boolean isRemoval() {
        return kind == Kind.REMOVED;
    }

    public boolean isCreation() {
        return kind == Kind.PUT && prior == 0;
    }
}
