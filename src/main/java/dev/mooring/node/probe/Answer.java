package dev.mooring.node.probe;

/**
 * What came of asking a container once.
 *
 * @param text for people; "" if there is nothing to tell
 */
record Answer(Kind kind, String text) {

    /** What it means. */
    enum Kind {
        SUCCESS,
        /** A success with something to tell. */
        WARNING,
        FAILURE,
        /** It could not be asked, which says nothing about the container: counts neither way. */
        UNKNOWN
    }

    static Answer success() {
        return new Answer(Kind.SUCCESS, "");
    }

    static Answer warning(String text) {
        return new Answer(Kind.WARNING, text);
    }

    static Answer failure(String text) {
        return new Answer(Kind.FAILURE, text);
    }

    static Answer unknown(String text) {
        return new Answer(Kind.UNKNOWN, text);
    }

    boolean isSuccess() {
        return kind == Kind.SUCCESS || kind == Kind.WARNING;
    }
}
