package dev.mooring.node.probe;

import java.util.concurrent.CompletableFuture;

/**
 * An asynchronous connection. Callers wait for the previous read or write before they start the next one. Closing it
 * ends pending operations.
 */
interface AsyncConnection extends AutoCloseable {
    CompletableFuture<Void> write(byte[] bytes);

    /** Reads the next bytes; an empty array means end of stream. */
    CompletableFuture<byte[]> read();

    @Override
    void close();
}
