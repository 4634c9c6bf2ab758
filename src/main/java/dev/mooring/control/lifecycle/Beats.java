package dev.mooring.control.lifecycle;

import java.time.Instant;
import java.util.Optional;

/** When nodes last gave a sign of life. Answers at once, from memory; any thread. */
public interface Beats {
    /**
     * When a node last beat, by the clock of this server: clocks of nodes may be wrong.
     *
     * @return nothing if it has not since the server was started
     */
    Optional<Instant> lastBeat(String node);
}
