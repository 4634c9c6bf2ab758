package dev.mooring.node.probe;

/**
 * The result of one probe.
 *
 * @param message human-readable; "" if there is none
 */
record ProbeResult(Kind kind, String message) {

    /** The kind of a result. */
    enum Kind {
        SUCCESS,
        /** A success with a message. */
        WARNING,
        FAILURE,
        /** The probe could not run; counts neither as success nor as failure. */
        UNKNOWN
    }

    static ProbeResult success() {
        return new ProbeResult(Kind.SUCCESS, "");
    }

    static ProbeResult warning(String text) {
        return new ProbeResult(Kind.WARNING, text);
    }

    static ProbeResult failure(String text) {
        return new ProbeResult(Kind.FAILURE, text);
    }

    static ProbeResult unknown(String text) {
        return new ProbeResult(Kind.UNKNOWN, text);
    }

    boolean isSuccess() {
        return kind == Kind.SUCCESS || kind == Kind.WARNING;
    }
}
