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
}
