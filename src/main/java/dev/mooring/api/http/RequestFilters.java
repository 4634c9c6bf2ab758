package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.tls.HostNames;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses requests that a foreign web page makes a browser send. A page that resolves its own name to 127.0.0.1 (DNS
 * rebinding) can reach this server, but the browser sends the real name ({@code Host}) and page ({@code Origin}).
 * Stateless.
 */
final class RequestFilters {
    private final Set<String> ownNames;

    RequestFilters(Set<String> ownNames) {
        this.ownNames = ownNames;
    }

    /** Returns the error for a refused request; empty if it is accepted. */
    Optional<Status> refusal(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (authority == null || !ownNames.contains(HostNames.normalize(authority.host()))) {
            String named = authority == null ? "nothing" : '"' + authority.host() + '"';
            return Optional.of(
                    Status.forbidden("Host header must be a name of this server's certificate, got " + named));
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isOwn(origin)) {
            return Optional.of(
                    Status.forbidden("Cross-origin requests are not allowed, got Origin \"" + origin + "\""));
        }
        return Optional.empty();
    }

    private boolean isOwn(String origin) {
        try {
            String host = new URI(origin).getHost();
            return host != null && ownNames.contains(HostNames.normalize(host));
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
