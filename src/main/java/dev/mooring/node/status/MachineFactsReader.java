package dev.mooring.node.status;

import java.io.IOException;

/** Reads the state of the machine. */
public interface MachineFactsReader {
    /**
     * Reads the state. May block, so never call it from an event loop.
     *
     * @throws IOException if a basic property cannot be read
     */
    MachineFacts read() throws IOException;
}
