package dev.mooring.testing;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Captures stdout and stderr of tests and the program under test, so that only the output of a failed test is shown.
 * While it is installed, {@link System#out} and {@link System#err} write everything to a file and the end of it to a
 * bounded buffer that {@link #restart} clears. Tests run one after the other, so the buffer holds the output of one
 * test, whichever thread wrote it. Thread-safe.
 */
final class CapturedOutput implements AutoCloseable {
    /** Size of the buffer; the end of a long output explains a failure. */
    private static final int KEPT_BYTES = 32 * 1024;

    private final PrintStream formerOut = System.out;
    private final PrintStream formerErr = System.err;
    private final OutputStream file;
    private final byte[] kept = new byte[KEPT_BYTES];
    private long written;

    /**
     * Starts capturing.
     *
     * @param path the file for all output
     */
    CapturedOutput(Path path) {
        try {
            Files.createDirectories(path.toAbsolutePath().getParent());
            file = new FileOutputStream(path.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        PrintStream stream = new PrintStream(new Sink(), true, StandardCharsets.UTF_8);
        System.setOut(stream);
        System.setErr(stream);
    }

    /** Clears the buffer. */
    synchronized void restart() {
        written = 0;
    }

    /** Returns the last lines written since {@link #restart}, oldest first. */
    synchronized List<String> lines() {
        int size = (int) Math.min(written, KEPT_BYTES);
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = kept[(int) ((written - size + i) % KEPT_BYTES)];
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        boolean cut = written > KEPT_BYTES;
        List<String> lines = text.lines().toList();
        return cut && lines.size() > 1 ? lines.subList(1, lines.size()) : lines;
    }

    /** Adds a file to the captured output, not to {@link #lines}. */
    synchronized void append(Path other) throws IOException {
        Files.copy(other, file);
    }

    private synchronized void write(byte[] bytes, int offset, int length) throws IOException {
        file.write(bytes, offset, length);
        int from = Math.max(0, length - KEPT_BYTES);
        for (int i = from; i < length; i++) {
            kept[(int) ((written + i) % KEPT_BYTES)] = bytes[offset + i];
        }
        written += length;
    }

    @Override
    public void close() {
        System.setOut(formerOut);
        System.setErr(formerErr);
        try {
            synchronized (this) {
                file.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Sink extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            CapturedOutput.this.write(bytes, offset, length);
        }
    }
}
