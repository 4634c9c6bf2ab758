package dev.mooring.chaos.process;

/**
 * One request of a client, and what became of it.
 *
 * @param key such as {@code configmaps/default/a}
 * @param ifRevision the revision the object had to be at; 0 for any
 * @param ifUid the incarnation the object had to be; "" for any
 * @param value what it was to hold afterwards: each call has one of its own; "" for deletes and reads
 * @param invoked before the request was sent, on a clock that only runs forwards
 * @param ended after the answer had been read
 */
record Call(
        Verb verb, String key, long ifRevision, String ifUid, String value, long invoked, long ended, Answer answer) {
    enum Verb {
        CREATE,
        UPDATE,
        DELETE,
        GET
    }

    /** What the client knows about it. */
    sealed interface Answer {}

    /** It was done, and led to this. */
    record Written(Seen object) implements Answer {}

    /** The object is gone, and this was its uid. */
    record Removed(String uid) implements Answer {}

    /** The object was there: it was read, or it is about to go. */
    record Found(Seen object) implements Answer {}

    /** There was no such object. */
    record Absent() implements Answer {}

    /** There was one already. */
    record Exists() implements Answer {}

    /** The object was another one than the precondition said. */
    record Conflict() implements Answer {}

    /** The connection broke: it may have been done or not. */
    record Unknown() implements Answer {}

    /** An object as a client got it. */
    record Seen(long revision, String uid, String value, long print) {}

    boolean isUnknown() {
        return answer instanceof Unknown;
    }

    /** Whether the server said that it was not done. */
    boolean isRefused() {
        return answer instanceof Absent || answer instanceof Exists || answer instanceof Conflict;
    }
}
