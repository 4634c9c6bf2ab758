package dev.mooring.api;

/** Bounds on what a client can make the server hold. */
public final class Limits {
    /** A bearer token and kubectl's headers need less than 2 KiB; a proxy's cookies may need more. */
    public static final int HEADER_BYTES = 32 * 1024;

    /** Long label selectors travel in the request line. */
    public static final int REQUEST_LINE_BYTES = 16 * 1024;

    /** What kube-apiserver takes, so that every object it would take fits. */
    public static final long BODY_BYTES = 3L * 1024 * 1024;

    /** A manifest that a person wrote is smaller; it is always taken. */
    public static final int SMALL_BODY_BYTES = 32 * 1024;

    /** What of larger bodies may be arriving at once, on all connections together: twenty of the largest. */
    public static final long BODIES_BYTES = 64L * 1024 * 1024;

    /** Of a WebSocket: clients send pieces of 32 KiB, or a whole line a person typed. Up to 16 wait while a process does not read. */
    public static final int FRAME_BYTES = 256 * 1024;

    /** A client that cannot finish a handshake in this time is stuck or an attack. */
    public static final int HANDSHAKE_SECONDS = 10;

    /** 1,000 watchers and as many again reconnecting, with room; about 50 KiB of TLS state each. */
    public static final int CONNECTIONS = 4096;

    /** Requests under way on one HTTP/2 connection; kube-apiserver's figure. kubectl and informers stay far below. */
    public static final int STREAMS_PER_CONNECTION = 250;

    /** How long requests under way may take to finish when the server stops. Watches never finish by themselves. */
    public static final int DRAIN_SECONDS = 1;

    private Limits() {}
}
