package dev.mooring.runtime.docker.stream;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Bytes to and from an engine, both ways at once: one thread may read while another writes. Closing, by any thread, or interrupting a thread that reads
 * or writes ends it for all of them at once.
 */
interface Wire extends AutoCloseable {
    /** More at once takes as much memory outside of the heap, for each thread. */
    int LARGEST_PIECE = 64 * 1024;

    void connect() throws IOException;

    /**
     * At least one byte.
     *
     * @param into backed by an array
     * @return how many, or -1 at the end
     */
    int read(ByteBuffer into) throws IOException;

    /** All of it. */
    void write(ByteBuffer from) throws IOException;

    /** Nothing more will be written; reading goes on. */
    void endOutput() throws IOException;

    @Override
    void close();
}
