package dev.mooring.api;

import dev.mooring.api.tls.HostNames;
import dev.mooring.api.tls.Tokens;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.net.HostAndPort;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/** Checks that stand before the routes. Each either answers the request or passes it on. Stateless. */
final class Guards {
    private static final String BEARER = "Bearer ";

    private final Tokens tokens;
    private final Set<String> ownNames;

    Guards(Tokens tokens, Set<String> ownNames) {
        this.tokens = tokens;
        this.ownNames = ownNames;
    }

    /**
     * Refuses requests that were meant for another host. A web page that makes its own name point at 127.0.0.1 (DNS rebinding)
     * gets a browser to send requests here, but cannot make it lie about the name.
     */
    void requireOwnName(RoutingContext request) {
        HostAndPort authority = request.request().authority();
        if (authority != null && ownNames.contains(HostNames.normal(authority.host()))) {
            request.next();
            return;
        }
        String named = authority == null ? "nothing" : '"' + authority.host() + '"';
        Status.forbidden("Expected the Host header to name this server as its certificate does, but it says " + named)
                .send(request);
    }

    void requireToken(RoutingContext request) {
        String authorization = request.request().getHeader(HttpHeaders.AUTHORIZATION);
        boolean known = authorization != null
                && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                && tokens.userOf(authorization.substring(BEARER.length()).trim())
                        .isPresent();
        if (known) {
            request.next();
        } else {
            Status.unauthorized().send(request);
        }
    }
}
