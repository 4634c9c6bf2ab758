package dev.mooring.volume.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Reads what a program says to its end and keeps the beginning, so that one that talks without end neither blocks nor fills the memory.
 * A thread of its own writes, any other may ask for the text.
 */
final class Drain implements Runnable {
    private static final int CHUNK = 8192;

    private final InputStream from;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final int limit;
    private final Thread thread;

    private Drain(InputStream from, int limit, String name) {
        this.from = from;
        this.limit = limit;
        this.thread = new Thread(this, name);
        this.thread.setDaemon(true);
    }

    static Drain start(InputStream from, int limit, String name) {
        Drain drain = new Drain(from, limit, name);
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
            // The stream was closed because the program is dead; what it said until then is what there is.
        }
    }

    /** All of it, if the stream ends in that time; a grandchild may hold it open. */
    String text(long millis) throws InterruptedException {
        thread.join(millis);
        synchronized (kept) {
            return kept.toString(StandardCharsets.UTF_8);
        }
    }
}
