package dev.mooring.api;

import dev.mooring.api.tls.ServerCertificate;
import dev.mooring.api.tls.Tokens;

/**
 * What the HTTP server needs from outside.
 *
 * @param host to bind
 */
public record ApiParts(
        String host,
        BoundPort port,
        ServerCertificate certificate,
        Tokens tokens,
        HealthChecks healthChecks,
        ApiMetrics metrics,
        VersionInfo version) {}
