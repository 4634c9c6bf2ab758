package dev.mooring.log;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Lets one thread read and decode a log while another rebuilds the World from it. A short log is handed over on the caller's thread.
 *
 * <p>{@link #finish} returns when everything has been handed over, and throws what the receiver threw. Closing without it gives up.
 */
final class RestoreAhead implements Restore, AutoCloseable {
    /** Handing over costs a little; a log of fewer events is not worth a thread. */
    private static final int EVENTS_AT_ONCE = 2_000;

    /** Bounds what is decoded and not yet applied. */
    private static final int WAITING = 8;

    private static final List<Batch> END = List.of();

    private final Restore target;
    private final BlockingQueue<List<Batch>> queue = new ArrayBlockingQueue<>(WAITING);
    private final Thread thread = new Thread(this::handOver, "mooring-replay");
    private List<Batch> collected = new ArrayList<>();
    private int events;
    private volatile Throwable failure;

    RestoreAhead(Restore target) {
        this.target = target;
    }

    @Override
    public void snapshot(Snapshot snapshot) throws IOException {
        target.snapshot(snapshot);
    }

    @Override
    public void batch(Batch batch) throws IOException {
        collected.add(batch);
        events += batch.events().size();
        if (events >= EVENTS_AT_ONCE) {
            if (!thread.isAlive()) {
                thread.start();
            }
            put(collected);
            collected = new ArrayList<>();
            events = 0;
            rethrow();
        }
    }

    void finish() throws IOException {
        close();
        rethrow();
        for (Batch batch : collected) {
            target.batch(batch);
        }
    }

    private void put(List<Batch> batches) throws InterruptedIOException {
        try {
            queue.put(batches);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while the log was being opened");
        }
    }

    private void handOver() {
        try {
            for (List<Batch> batches = queue.take(); batches != END; batches = queue.take()) {
                if (failure == null) {
                    handOver(batches);
                }
            }
        } catch (InterruptedException e) {
            failure = e;
        }
    }

    /** After a failure the queue is still emptied, so that the reader does not wait for ever. */
    private void handOver(List<Batch> batches) {
        try {
            for (Batch batch : batches) {
                target.batch(batch);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
    }

    private void rethrow() throws IOException {
        Throwable thrown = failure;
        if (thrown instanceof IOException e) {
            throw e;
        } else if (thrown instanceof RuntimeException e) {
            throw e;
        } else if (thrown != null) {
            throw new IllegalStateException("Expected to replay the log, but it failed", thrown);
        }
    }

    @Override
    public void close() throws InterruptedIOException {
        if (thread.isAlive()) {
            put(END);
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("Interrupted while the log was being opened");
            }
        }
    }
}
