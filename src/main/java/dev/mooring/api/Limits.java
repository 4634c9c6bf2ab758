package dev.mooring.api;

/** Bounds on what a client can make the server hold. */
final class Limits {
    /** A bearer token and kubectl's headers need less than 2 KiB; a proxy's cookies may need more. */
    static final int HEADER_BYTES = 32 * 1024;

    /** Long label selectors travel in the request line. */
    static final int REQUEST_LINE_BYTES = 16 * 1024;

    /** What kube-apiserver takes, so that every object it would take fits. */
    static final long BODY_BYTES = 3L * 1024 * 1024;

    /** Longer than clients keep idle connections (Go: 90 s), so that they close first and never lose a request to ours. */
    static final int IDLE_SECONDS = 180;

    /** A client that cannot finish a handshake in this time is stuck or an attack. */
    static final int HANDSHAKE_SECONDS = 10;

    /** 1,000 watchers and as many again reconnecting, with room; about 50 KiB of TLS state each. */
    static final int CONNECTIONS = 4096;

    /** Requests under way on one HTTP/2 connection; kube-apiserver's figure. kubectl and informers stay far below. */
    static final int STREAMS_PER_CONNECTION = 250;

    /** How long requests under way may take to finish when the server stops. Watches never finish by themselves. */
    static final int DRAIN_SECONDS = 1;

    private Limits() {}
}
