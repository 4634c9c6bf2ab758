package dev.mooring.api.http;

import dev.mooring.api.HealthChecks;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.tls.ServerCertificate;
import java.util.Optional;

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
}
