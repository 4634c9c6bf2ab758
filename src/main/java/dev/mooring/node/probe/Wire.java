package dev.mooring.node.probe;

import java.util.concurrent.CompletableFuture;

/** A connection. One thing at a time: who reads or writes waits for the one before. Closing it ends what is under way. */
interface Wire extends AutoCloseable {
    CompletableFuture<Void> write(byte[] bytes);

    /** What comes next; nothing more comes after an empty one. */
    CompletableFuture<byte[]> read();

    @Override
    void close();
}
