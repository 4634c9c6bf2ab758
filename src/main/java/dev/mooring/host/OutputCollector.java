package dev.mooring.host;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads the output of a program to its end and keeps the beginning, so that endless output neither blocks the program
 * nor fills the memory. One thread runs it; others may read the text.
 */
final class OutputCollector implements Runnable {
    private static final int CHUNK = 8192;

    private final InputStream from;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final int limit;
    private final Thread thread;

    private OutputCollector(InputStream from, int limit, String name) {
        this.from = from;
        this.limit = limit;
        this.thread = new Thread(this, name);
        this.thread.setDaemon(true);
    }

    static OutputCollector start(InputStream from, int limit, String name) {
        OutputCollector drain = new OutputCollector(from, limit, name);
        drain.thread.start();
        return drain;
    }

    @Override
    public void run() {
        byte[] chunk = new byte[CHUNK];
        try {
            for (int length = from.read(chunk); length >= 0; length = from.read(chunk)) {
                synchronized (kept) {
                    kept.write(chunk, 0, Math.min(length, limit - kept.size()));
                }
            }
        } catch (IOException expected) {
            // The stream was closed because the program was killed; keep the output so far.
        }
    }

    /** Returns the output, waiting for its end for the given time; a grandchild may keep the stream open. */
    String text(long millis) throws InterruptedException {
        thread.join(millis);
        synchronized (kept) {
            return kept.toString(StandardCharsets.UTF_8);
        }
    }
}
