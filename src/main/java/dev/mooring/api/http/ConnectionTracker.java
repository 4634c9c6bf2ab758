package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.auth.User;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Closes idle connections: those on which no request has started for a while and no watch is open. An idle watch is in
 * use, so the HTTP server's own timeout cannot be used; a client that is very slow to send a request or to read a
 * response does not keep its connection alive. From the first valid token on, a connection counts for that token's
 * user. Confined to one event loop; without connections no timer runs.
 */
final class ConnectionTracker {
    private final Vertx vertx;
    private final Duration idle;
    private final SharedLimit limit;
    private final AnonymousConnections anonymous;
    private final IdentityHashMap<HttpConnection, ConnectionState> open = new IdentityHashMap<>();
    private long timer = -1;

    /** Current timer round; requests record it instead of reading the clock. */
    private long round;

    private static final class ConnectionState {
        private final Runnable endHandler;
        private long lastRound;
        private int watches;
        private int failures;

        /** User of the first valid token; null before. */
        private User user;

        private ConnectionState(Runnable ended) {
            this.endHandler = ended;
        }
    }

    ConnectionTracker(Vertx vertx, ApiCore core, AnonymousConnections anonymous) {
        this.vertx = vertx;
        this.idle = core.limits().idleTimeout();
        this.limit = core.sharedLimits().connections();
        this.anonymous = anonymous;
    }

    /** @param ended called when an upgraded connection ends, in which case its own close handler is not called */
    void opened(HttpConnection connection, Runnable ended) {
        ConnectionState use = new ConnectionState(ended);
        use.lastRound = round;
        open.put(connection, use);
        if (timer < 0) {
            timer = vertx.setPeriodic(Math.max(1, idle.toMillis() / 2), id -> sweep());
        }
    }

    /** Stops tracking a connection and returns whether it was tracked. */
    boolean closed(HttpConnection connection) {
        ConnectionState was = open.remove(connection);
        if (was != null && was.user != null) {
            limit.release(was.user, 1);
        }
        if (open.isEmpty() && timer >= 0) {
            vertx.cancelTimer(timer);
            timer = -1;
        }
        return was != null;
    }

    void requestStarted(HttpConnection connection) {
        ConnectionState use = open.get(connection);
        if (use != null) {
            use.lastRound = round;
            if (use.user == null) {
                anonymous.requestStarted(connection);
            }
        }
    }

    /**
     * Records a valid token on a connection.
     *
     * @return the error with which the connection must be closed if the user has too many
     */
    Optional<Status> authenticated(HttpConnection connection, User user) {
        ConnectionState use = open.get(connection);
        if (use == null || use.user != null) {
            return Optional.empty();
        }
        Optional<Status> refusal = limit.acquire(user, 1);
        if (refusal.isEmpty()) {
            use.user = user;
            anonymous.authenticated(connection);
        }
        return refusal;
    }

    /**
     * Counts a request without a valid token and returns whether a connection that never carried one has had too many.
     */
    boolean failedTooOften(HttpConnection connection) {
        ConnectionState use = open.get(connection);
        return use != null && use.user == null && ++use.failures >= HttpLimits.FAILED_AUTHENTICATIONS;
    }

    /** Closes a connection when its requests in flight are answered, or after a short time. */
    void closeAfterResponses(HttpConnection connection) {
        connection.shutdown(HttpLimits.DRAIN_SECONDS, TimeUnit.SECONDS);
    }

    void watchOpened(HttpConnection connection) {
        ConnectionState use = open.get(connection);
        if (use != null) {
            use.watches++;
        }
    }

    void watchClosed(HttpConnection connection) {
        ConnectionState use = open.get(connection);
        if (use != null) {
            use.watches--;
            use.lastRound = round;
        }
    }

    /** Records that the protocol a connection was upgraded to has ended, and the connection with it. */
    void upgradeEnded(HttpConnection connection) {
        ConnectionState use = open.get(connection);
        if (use != null) {
            use.endHandler.run();
        }
    }

    private void sweep() {
        round++;
        for (Map.Entry<HttpConnection, ConnectionState> each : List.copyOf(open.entrySet())) {
            ConnectionState use = each.getValue();
            if (use.watches == 0 && round - use.lastRound > 2) {
                each.getKey().close();
            }
        }
    }
}
