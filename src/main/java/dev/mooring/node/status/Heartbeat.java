package dev.mooring.node.status;

import java.time.Instant;

/** Where a node shows that it is there. A beat is no event and leaves nothing in the log. */
public interface Heartbeat {
    /** Renews the node's Lease. Returns at once; never throws for a Lease that is gone. Called from an event loop. */
    void beat(String node, Instant now);
}
