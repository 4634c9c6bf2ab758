package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authenticator;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.RateLimit;
import dev.mooring.api.auth.User;
import dev.mooring.world.Ledger;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Optional;

/** Authenticates requests and limits their rate. Thread-safe. */
public final class RequestAuthenticator {
    private static final String BEARER = "Bearer ";

    private final Authenticator authenticator;
    private final RateLimit limit;
    private final Authorizer authorizer;
    private final Ledger ledger;

    public RequestAuthenticator(Authenticator authenticator, RateLimit limit, Authorizer authorizer, Ledger ledger) {
        this.authenticator = authenticator;
        this.limit = limit;
        this.authorizer = authorizer;
        this.ledger = ledger;
    }

    /** Returns the user of a request. */
    public User authenticate(HttpServerRequest request) {
        return find(request.getHeader(HttpHeaders.AUTHORIZATION))
                .orElseThrow(() -> new StatusException(Status.unauthorized()));
    }

    /** Refuses a request of a user who exceeds the rate limit. */
    public void requireWithinRate(User user) {
        // Admins are exempt, because they have to intervene when other users overload the server.
        Optional<Duration> wait = user.isAdmin() ? Optional.empty() : limit.acquire(user.name());
        if (wait.isPresent()) {
            throw new StatusException(tooManyRequests(user, wait.get()));
        }
    }

    static Status tooManyRequests(User user, Duration wait) {
        int seconds = (int) Math.max(1, wait.plusMillis(999).toSeconds());
        return Status.tooManyRequests(
                "User \"" + user.name() + "\" has sent too many requests, please try again later", seconds);
    }

    /** Returns whether the request's token still permits the action. */
    boolean isStillAllowed(ApiRequest apiRequest, Attributes wanted) {
        return find(apiRequest.request().getHeader(HttpHeaders.AUTHORIZATION))
                .filter(user -> authorizer.decide(user, wanted).isAllowed())
                .isPresent();
    }

    /** Returns whether the request's token still has the same permissions. */
    boolean isUnchanged(ApiRequest apiRequest) {
        return find(apiRequest.request().getHeader(HttpHeaders.AUTHORIZATION))
                .filter(user -> user.grant().equals(apiRequest.user().grant()))
                .isPresent();
    }

    private Optional<User> find(String authorization) {
        return authorization != null && authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authenticator.authenticate(
                        authorization.substring(BEARER.length()).trim(), ledger.world())
                : Optional.empty();
    }
}
