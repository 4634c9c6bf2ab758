package dev.mooring.node.status;

/** Holds the current engine status and notifies a listener of changes. Thread-safe. */
public final class RuntimeStatusHolder {
    private volatile RuntimeStatus status;
    private volatile Runnable listener = () -> {};

    public RuntimeStatusHolder(RuntimeStatus engine) {
        this.status = engine;
    }

    public RuntimeStatus status() {
        return status;
    }

    public void status(RuntimeStatus now) {
        boolean news = !now.equals(status);
        status = now;
        if (news) {
            listener.run();
        }
    }

    void setListener(Runnable to) {
        listener = to;
    }

    /** The status of the node's container engine. */
    public sealed interface RuntimeStatus {
        /** The node runs no containers. */
        record Disabled() implements RuntimeStatus {}

        /** Not determined yet; the Node keeps its previous status. */
        record Unknown() implements RuntimeStatus {}

        /**
         * The engine responds.
         *
         * @param version such as docker://20.10.24
         */
        record Present(String version) implements RuntimeStatus {}

        /**
         * The engine does not respond.
         *
         * @param reason human-readable
         */
        record Absent(String reason) implements RuntimeStatus {}
    }
}
