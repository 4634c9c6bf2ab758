package dev.mooring.api.http;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Closes connections that nobody uses: those on which no request has begun for a while and no watch is open. A quiet watch is in use,
 * which is why the HTTP server's own time-out cannot do this; a client that takes very long to send a request or to take an answer is
 * not. For one event loop; with no connections, nothing happens.
 */
final class Connections {
    private final Vertx vertx;
    private final Duration idle;
    private final IdentityHashMap<HttpConnection, Use> open = new IdentityHashMap<>();
    private long timer = -1;

    /** Counted in rounds of the timer, so that a request costs no look at the clock. */
    private long round;

    private static final class Use {
        private final Runnable ended;
        private long lastRound;
        private int watches;

        private Use(Runnable ended) {
            this.ended = ended;
        }
    }

    Connections(Vertx vertx, Duration idle) {
        this.vertx = vertx;
        this.idle = idle;
    }

    /** @param ended is told when the connection has become something else, and ends: its own handler is not told then */
    void opened(HttpConnection connection, Runnable ended) {
        Use use = new Use(ended);
        use.lastRound = round;
        open.put(connection, use);
        if (timer < 0) {
            timer = vertx.setPeriodic(Math.max(1, idle.toMillis() / 2), id -> sweep());
        }
    }

    /** Whether it was open until now. */
    boolean closed(HttpConnection connection) {
        boolean wasOpen = open.remove(connection) != null;
        if (open.isEmpty() && timer >= 0) {
            vertx.cancelTimer(timer);
            timer = -1;
        }
        return wasOpen;
    }

    void used(HttpConnection connection) {
        Use use = open.get(connection);
        if (use != null) {
            use.lastRound = round;
        }
    }

    void watchOpened(HttpConnection connection) {
        Use use = open.get(connection);
        if (use != null) {
            use.watches++;
        }
    }

    void watchClosed(HttpConnection connection) {
        Use use = open.get(connection);
        if (use != null) {
            use.watches--;
            use.lastRound = round;
        }
    }

    /** What a connection was upgraded to has ended, and the connection with it. */
    void upgradeEnded(HttpConnection connection) {
        Use use = open.get(connection);
        if (use != null) {
            use.ended.run();
        }
    }

    private void sweep() {
        round++;
        for (Map.Entry<HttpConnection, Use> each : List.copyOf(open.entrySet())) {
            Use use = each.getValue();
            if (use.watches == 0 && round - use.lastRound > 2) {
                each.getKey().close();
            }
        }
    }
}
