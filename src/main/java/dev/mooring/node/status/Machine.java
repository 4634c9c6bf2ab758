package dev.mooring.node.status;

import java.io.IOException;

/** The machine a node is. */
public interface Machine {
    /**
     * Looks at the machine. May take its time, so never call it from an event loop.
     *
     * @throws IOException if the machine does not tell what every machine has
     */
    MachineFacts read() throws IOException;
}
