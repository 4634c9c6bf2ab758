package dev.mooring.chaos.process;

/**
 * State of an object after an event.
 *
 * @param prior the revision of the object before it; 0 if there was none
 * @param value the value that a client wrote
 * @param digest of its content
 * @param actor of the event
 */
record ObjectVersion(
        String key,
        long revision,
        long prior,
        VersionKind kind,
        String uid,
        String value,
        boolean terminating,
        long digest,
        String actor) {
    /** Type of the watch event. */
    enum VersionKind {
        ADDED,
        MODIFIED,
        DELETED
    }

    boolean isPresent() {
        return kind != VersionKind.DELETED;
    }

    String resource() {
        return key.substring(0, key.indexOf('/'));
    }

    RecordedCall.SeenObject seen() {
        return new RecordedCall.SeenObject(revision, uid, value, digest);
    }
}
