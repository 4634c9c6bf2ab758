package dev.mooring.node.probe;

/** A hook of a container did not do what it was for. The message is the kubelet's, made for logs: it may hold what the hook has written. */
public final class HookException extends Exception {
    private final Kind kind;

    /** What that means for whoever asked. */
    public enum Kind {
        /** It was run and failed, or could not be run. */
        FAILED,
        /** It is still at it, and nobody waits for it any longer. With a preStop hook that is no failure: its time is that of the Pod. */
        TOO_LATE
    }

    HookException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
