package dev.mooring.api;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The port a server listens on. Asked for "any" (0), the first bind decides, and every later one takes the same port: clients
 * of a restarted verticle find it where it was. Thread-safe.
 */
public final class BoundPort {
    private final AtomicInteger port;

    public BoundPort(int requested) {
        this.port = new AtomicInteger(requested);
    }

    /** The port to bind next, or the bound one; 0 while any will do. */
    public int number() {
        return port.get();
    }

    void bound(int number) {
        port.set(number);
    }
}
