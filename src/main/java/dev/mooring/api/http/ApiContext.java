package dev.mooring.api.http;

import dev.mooring.api.HealthChecks;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.tls.ServerCertificate;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Dependencies and addresses of the HTTP server.
 *
 * @param host to bind
 * @param plaintext listener for clients that cannot use TLS
 */
public record ApiContext(
        String host,
        BoundPort port,
        Optional<PlaintextListener> plaintext,
        ServerCertificate certificate,
        ApiCore core,
        HealthChecks healthChecks,
        ApiMetrics metrics,
        VersionInfo version) {

    /**
     * A second listener without TLS.
     *
     * @param host a loopback address
     */
    public record PlaintextListener(String host, BoundPort port) {}

    /**
     * The port a server listens on. If port 0 (any) is configured, the first bind decides and later binds reuse that
     * port, so that clients find a restarted verticle. Thread-safe.
     */
    public static final class BoundPort {
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
}
