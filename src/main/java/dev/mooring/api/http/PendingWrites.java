package dev.mooring.api.http;

import io.vertx.core.Future;

/**
 * Counts bytes written to a client that the network has not accepted. Vert.x detects slow clients, but counts writes
 * instead of bytes, so that dozens of large writes per connection would be in memory. Confined to one event loop.
 */
final class PendingWrites {
    /** Limit above which nothing more is written. */
    private static final int MAX_BYTES = 256 * 1024;

    /** Smaller writes are not counted: they are frequent, and Vert.x's own limit suffices. */
    private static final int SMALL_BYTES = 16 * 1024;

    private long bytes;
    private Runnable drained = () -> {};

    void add(int length, Future<Void> written) {
        if (length <= SMALL_BYTES) {
            return;
        }
        bytes += length;
        written.onComplete(done -> {
            bytes -= length;
            if (done.succeeded() && !isFull()) {
                Runnable then = drained;
                drained = () -> {};
                then.run();
            }
        });
    }

    boolean isFull() {
        return bytes > MAX_BYTES;
    }

    /** Runs a callback once when there is room again; not if the connection is lost. */
    void onDrained(Runnable then) {
        drained = then;
    }
}
