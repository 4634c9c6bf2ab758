package dev.mooring.api;

import dev.mooring.api.tls.ServerCertificate;
import java.util.Optional;

/**
 * What the HTTP server needs from outside.
 *
 * @param host to bind
 * @param plain for clients that cannot do TLS
 */
public record ApiParts(
        String host,
        BoundPort port,
        Optional<PlainListener> plain,
        ServerCertificate certificate,
        ApiCore core,
        HealthChecks healthChecks,
        ApiMetrics metrics,
        VersionInfo version) {

    /**
     * A second listener without TLS.
     *
     * @param host an address of this machine itself
     */
    public record PlainListener(String host, BoundPort port) {}
}
