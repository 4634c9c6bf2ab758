package dev.mooring.server;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream that ignores close: logback closes its streams, and stderr has other users. */
final class UncloseableOutputStream extends FilterOutputStream {
    UncloseableOutputStream(OutputStream stream) {
        super(stream);
    }

    /** Writes all bytes at once: the inherited method writes byte by byte, and lines would interleave. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
