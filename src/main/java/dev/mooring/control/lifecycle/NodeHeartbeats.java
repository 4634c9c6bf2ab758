package dev.mooring.control.lifecycle;

import java.time.Instant;
import java.util.Optional;

/** The last heartbeat of each node. In memory, non-blocking, thread-safe. */
public interface NodeHeartbeats {
    /**
     * Returns the time of a node's last heartbeat by this server's clock, because nodes' clocks may be wrong.
     *
     * @return empty if the node sent none since the server started
     */
    Optional<Instant> lastHeartbeat(String node);
}
