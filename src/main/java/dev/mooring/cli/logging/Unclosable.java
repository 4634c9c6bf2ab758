package dev.mooring.cli.logging;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** A stream that outlives its appender: logback closes what it was given, and stderr has other users. */
final class Unclosable extends FilterOutputStream {
    Unclosable(OutputStream stream) {
        super(stream);
    }

    /** In one piece: the inherited method writes byte by byte, and lines would mix. */
    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
        flush();
    }
}
