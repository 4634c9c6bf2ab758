package dev.mooring.node.status;

import java.time.Instant;

/** Renews node Leases. A renewal is no event and is not written to the event log. */
public interface LeaseRenewer {
    /** Renews the node's Lease. Returns at once; never throws for a Lease that is gone. Called from an event loop. */
    void renew(String node, Instant now);
}
