package dev.mooring.chaos.process;

/**
 * What an event made of one object.
 *
 * @param prior the revision of the object before it; 0 if there was none
 * @param value what the clients had it hold
 * @param print of its content
 * @param actor who did it
 */
record Version(
        String key,
        long revision,
        long prior,
        Kind kind,
        String uid,
        String value,
        boolean terminating,
        long print,
        String actor) {
    /** As watchers are told of it. */
    enum Kind {
        ADDED,
        MODIFIED,
        DELETED
    }

    boolean isPresent() {
        return kind != Kind.DELETED;
    }

    String resource() {
        return key.substring(0, key.indexOf('/'));
    }

    Call.Seen seen() {
        return new Call.Seen(revision, uid, value, print);
    }
}
