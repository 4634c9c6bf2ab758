package dev.mooring.api.http;

import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authenticator;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.auth.User;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.world.Ledger;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Optional;

/** Who sends a request. Thread-safe. */
public final class Callers {
    private static final String BEARER = "Bearer ";

    private final Authenticator authenticator;
    private final RateLimit limit;
    private final Ledger ledger;

    public Callers(Authenticator authenticator, RateLimit limit, Ledger ledger) {
        this.authenticator = authenticator;
        this.limit = limit;
        this.ledger = ledger;
    }

    /** The user of a request, who has not sent too many. */
    public User require(HttpServerRequest request) {
        User user = find(request.getHeader(HttpHeaders.AUTHORIZATION))
                .orElseThrow(() -> new StatusException(Status.unauthorized()));
        // Who may do everything can also do harm without asking often, and is the one to help when others ask too
        // often.
        Optional<Duration> wait = user.isAdmin() ? Optional.empty() : limit.take(user.name());
        if (wait.isPresent()) {
            int seconds = (int) Math.max(1, wait.get().plusMillis(999).toSeconds());
            throw new StatusException(Status.tooManyRequests(
                    "User \"" + user.name() + "\" has sent too many requests, please try again later", seconds));
        }
        return user;
    }

    /** Whether the token a request came with still lets its user do this. */
    boolean isStill(Exchange exchange, Attributes wanted) {
        return find(exchange.request().getHeader(HttpHeaders.AUTHORIZATION))
                .filter(user -> Authorizer.decide(user, wanted).isAllowed())
                .isPresent();
    }

    private Optional<User> find(String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authenticator.authenticate(
                        authorization.substring(BEARER.length()).trim(), ledger.world())
                : Optional.empty();
    }
}
