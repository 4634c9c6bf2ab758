package dev.mooring.api;

import java.util.concurrent.atomic.AtomicLong;

/** So much of requests that are still arriving may be held at once, by all connections together. Thread-safe. */
public final class BodyRoom {
    private final long most;
    private final AtomicLong taken = new AtomicLong();

    public BodyRoom(long most) {
        this.most = most;
    }

    /** Whether there was room. */
    public boolean take(long bytes) {
        if (taken.addAndGet(bytes) <= most) {
            return true;
        }
        taken.addAndGet(-bytes);
        return false;
    }

    public void give(long bytes) {
        taken.addAndGet(-bytes);
    }
}
