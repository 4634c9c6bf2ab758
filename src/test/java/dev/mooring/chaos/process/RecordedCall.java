package dev.mooring.chaos.process;

/**
 * One request of a client and its result.
 *
 * @param key such as {@code configmaps/default/a}
 * @param ifRevision precondition on the revision; 0 for none
 * @param ifUid precondition on the uid; "" for none
 * @param value the value to write, unique to the call; "" for deletes and reads
 * @param invoked monotonic time before the request was sent
 * @param ended monotonic time after the response was read
 */
record RecordedCall(
        CallVerb verb,
        String key,
        long ifRevision,
        String ifUid,
        String value,
        long invoked,
        long ended,
        CallAnswer answer) {
    enum CallVerb {
        CREATE,
        UPDATE,
        DELETE,
        GET
    }

    /** The result as the client knows it. */
    sealed interface CallAnswer {}

    /** The write succeeded with this object. */
    record Written(SeenObject object) implements CallAnswer {}

    /** The object with this uid was deleted. */
    record Removed(String uid) implements CallAnswer {}

    /** The object existed: it was read, or is terminating. */
    record ReadObject(SeenObject object) implements CallAnswer {}

    /** The object did not exist. */
    record Absent() implements CallAnswer {}

    /** The object to create existed already. */
    record Exists() implements CallAnswer {}

    /** The precondition failed. */
    record Conflict() implements CallAnswer {}

    /** The connection was lost; the call may or may not have taken effect. */
    record Unknown() implements CallAnswer {}

    /** An object as a client received it. */
    record SeenObject(long revision, String uid, String value, long digest) {}

    boolean isUnknown() {
        return answer instanceof Unknown;
    }

    /** Returns whether the server refused the call. */
    boolean isRefused() {
        return answer instanceof Absent || answer instanceof Exists || answer instanceof Conflict;
    }
}
