package dev.mooring.api;

import java.time.Duration;

/**
 * Limits on clients that an operator can configure; {@code HttpLimits} has the fixed ones.
 *
 * @param watches concurrent watches
 * @param containerStreams concurrent log, exec and attach streams; each has a thread
 * @param connections open connections that have carried a valid token
 * @param sharePercent share of each limit that one non-admin user may take
 * @param bodyTimeout time for a request's body to arrive completely
 * @param idleTimeout time after which a connection without requests and watches is closed
 * @param authenticationTimeout time after which a connection without requests and without a valid token is closed
 * @param watchTick interval at which a watch sends bookmarks, rechecks its user's permission and checks that the client
 *     still reads
 */
public record ApiLimits(
        int watches,
        int containerStreams,
        int connections,
        int sharePercent,
        Duration bodyTimeout,
        Duration idleTimeout,
        Duration authenticationTimeout,
        Duration watchTick) {

    /** Returns the limit of additional connections that have not carried a valid token yet. */
    public int anonymousConnections() {
        return Math.max(1, connections / 4);
    }

    /**
     * Returns the limit of anonymous connections per address; loopback addresses are exempt because all local users
     * share them.
     */
    public int anonymousConnectionsPerAddress() {
        return Math.max(1, connections / 16);
    }
}
