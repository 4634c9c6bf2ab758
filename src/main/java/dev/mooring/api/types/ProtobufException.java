package dev.mooring.api.types;

/** A protobuf body could not be decoded. The message is for the client. */
public final class ProtobufException extends Exception {
    private static final long serialVersionUID = 1L;

    private final Problem problem;

    /** The kind of problem. */
    public enum Problem {
        /** The bytes are malformed: 400. */
        MALFORMED,
        /** The bytes may be valid, but this server cannot decode them: 415. */
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
