package dev.mooring.api.protobuf;

/** Says why a protobuf body could not be read, in words for whoever sent it. */
public final class ProtobufException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Problem problem;

    /** Whose fault it is. */
    public enum Problem {
        /** The bytes are not what they claim to be: 400. */
        MALFORMED,
        /** The bytes may be well, but say something this server cannot read: 415. */
        UNSUPPORTED
    }

    private ProtobufException(Problem problem, String message) {
        super(message);
        this.problem = problem;
    }

    static ProtobufException malformed(String message) {
        return new ProtobufException(Problem.MALFORMED, message);
    }

    static ProtobufException unsupported(String message) {
        return new ProtobufException(Problem.UNSUPPORTED, message);
    }

    public Problem problem() {
        return problem;
    }
}
