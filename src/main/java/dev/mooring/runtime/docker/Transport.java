package dev.mooring.runtime.docker;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A full-duplex byte transport to an engine: one thread may read while another writes. Closing it from any thread, or
 * interrupting a thread that reads or writes, ends it for all threads.
 */
interface Transport extends AutoCloseable {
    /** Limit per read or write; larger ones need as much direct memory per thread. */
    int LARGEST_PIECE = 64 * 1024;

    void connect() throws IOException;

    /**
     * Reads at least one byte.
     *
     * @param into backed by an array
     * @return the number of bytes, or -1 at the end
     */
    int read(ByteBuffer into) throws IOException;

    /** Writes all bytes. */
    void write(ByteBuffer from) throws IOException;

    /** Closes the output; reading continues. */
    void endOutput() throws IOException;

    @Override
    void close();
}
