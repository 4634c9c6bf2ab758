package dev.mooring.api.http;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The port a server listens on. If port 0 (any) is configured, the first bind decides and later binds reuse that port,
 * so that clients find a restarted verticle. Thread-safe.
 */
public final class BoundPort {
    private final AtomicInteger port;

    public BoundPort(int requested) {
        this.port = new AtomicInteger(requested);
    }

    /** Returns the bound port, or the port to bind; 0 if any port will do. */
    public int number() {
        return port.get();
    }

    void bound(int number) {
        port.set(number);
    }
}
