package dev.mooring.api.http;

import dev.mooring.api.status.Status;
import dev.mooring.api.tls.HostNames;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.Set;

/**
 * Refuses requests that a web page of somebody else makes a browser send. A page that makes its own name point at 127.0.0.1 (DNS
 * rebinding) reaches this server, but the browser tells the truth about the name ({@code Host}) and about the page ({@code Origin}).
 * Stateless.
 */
final class Guards {
    private final Set<String> ownNames;

    Guards(Set<String> ownNames) {
        this.ownNames = ownNames;
    }

    /** Why a request is refused, if it is. */
    Optional<Status> refusal(HttpServerRequest request) {
        HostAndPort authority = request.authority();
        if (authority == null || !ownNames.contains(HostNames.normal(authority.host()))) {
            String named = authority == null ? "nothing" : '"' + authority.host() + '"';
            return Optional.of(Status.forbidden(
                    "Expected the Host header to name this server as its certificate does, but it says " + named));
        }
        String origin = request.getHeader("Origin");
        if (origin != null && !isOwn(origin)) {
            return Optional.of(Status.forbidden(
                    "Expected requests from this server's own pages only, but a page of \"" + origin + "\" sent one"));
        }
        return Optional.empty();
    }

    private boolean isOwn(String origin) {
        try {
            String host = new URI(origin).getHost();
            return host != null && ownNames.contains(HostNames.normal(host));
        } catch (URISyntaxException e) {
            return false;
        }
    }
}
