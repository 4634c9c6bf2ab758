package dev.mooring.api.http;

import java.util.List;
import java.util.Set;

/** Limits on the resources that a client can make the server hold. */
public final class HttpLimits {
    /**
     * Maximum header size. A bearer token and kubectl's headers need less than 2 KiB; a proxy's cookies may need more.
     */
    public static final int HEADER_BYTES = 32 * 1024;

    /**
     * Maximum length of the request line of HTTP/1.1, the same as in kube-apiserver: it contains label selectors and
     * the commands of exec.
     */
    public static final int REQUEST_LINE_BYTES = 1024 * 1024;

    /**
     * Maximum number of bytes that clients without a valid token have sent and that belong to no request yet, on all
     * connections: thirty-two of the longest request lines, fewer with a heap below 1 GiB.
     */
    public static final long ANONYMOUS_BYTES =
            Math.min(32L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 32);

    /** Maximum body size, the same as in kube-apiserver, so that every object it accepts fits. */
    public static final long BODY_BYTES = 3L * 1024 * 1024;

    /** Bodies up to this size are exempt from {@link #IN_FLIGHT_BODY_BYTES}; handwritten manifests are smaller. */
    public static final int SMALL_BODY_BYTES = 32 * 1024;

    /**
     * Maximum total size of larger bodies in flight on all connections: twenty of the largest, fewer with a heap below
     * 1 GiB.
     */
    public static final long IN_FLIGHT_BODY_BYTES =
            Math.min(64L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 16);

    /**
     * Maximum total size of responses larger than {@link #SMALL_BODY_BYTES} that clients have not read, on all
     * connections.
     */
    public static final long UNREAD_RESPONSE_BYTES = 2 * IN_FLIGHT_BODY_BYTES;

    /**
     * Maximum size of a WebSocket frame. Clients send chunks of 32 KiB, or a line that a user typed. Up to 16 frames
     * are queued while a process does not read.
     */
    public static final int FRAME_BYTES = 256 * 1024;

    /** Maximum number of requests for history that run or wait; each holds at most a few MiB. */
    public static final int HISTORY_READS = 32;

    public static final Set<String> TLS_VERSIONS = Set.of("TLSv1.3", "TLSv1.2");

    /**
     * Cipher suites with forward secrecy and authenticated encryption; for TLS 1.2 this excludes CBC modes and RSA key
     * exchange.
     */
    public static final List<String> CIPHER_SUITES = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** Maximum duration of a TLS handshake. */
    public static final int HANDSHAKE_SECONDS = 10;

    /** Maximum number of requests without a valid token on a connection that has never carried one. */
    public static final int FAILED_AUTHENTICATIONS = 100;

    /**
     * Maximum number of concurrent requests on one HTTP/2 connection, the same as in kube-apiserver; kubectl and
     * informers need far fewer.
     */
    public static final int STREAMS_PER_CONNECTION = 250;

    /** Time for requests in flight to finish when the server stops. Watches never finish by themselves. */
    public static final int DRAIN_SECONDS = 1;

    private HttpLimits() {}
}
