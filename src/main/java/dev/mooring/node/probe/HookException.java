package dev.mooring.node.probe;

/**
 * Thrown when a hook failed or timed out. The message is the kubelet's and meant for logs: it may contain the hook's
 * output.
 */
public final class HookException extends Exception {
    private final Kind kind;

    /** The kind of failure. */
    public enum Kind {
        /** The hook ran and failed, or could not be run. */
        FAILED,
        /**
         * The hook is still running after its time limit. This is not a failure of a preStop hook: its time is the
         * Pod's grace period.
         */
        TIMED_OUT
    }

    HookException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
