package dev.mooring.api;

import dev.mooring.api.tls.ServerCertificate;

/**
 * What the HTTP server needs from outside.
 *
 * @param host to bind
 */
public record ApiParts(
        String host,
        BoundPort port,
        ServerCertificate certificate,
        ApiCore core,
        HealthChecks healthChecks,
        ApiMetrics metrics,
        VersionInfo version) {}
