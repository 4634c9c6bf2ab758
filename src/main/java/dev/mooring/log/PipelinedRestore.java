package dev.mooring.log;

import dev.mooring.model.Event;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Reads and decodes a log on one thread while another rebuilds the World from it. A short log is processed on the
 * caller's thread.
 *
 * <p>{@link #finish} returns when everything was processed, and rethrows the receiver's exception. Closing without it
 * aborts.
 */
final class PipelinedRestore implements RestoreTarget, AutoCloseable {
    /** Events per handover; a log with fewer events is not worth a thread. */
    private static final int EVENTS_AT_ONCE = 2_000;

    /** Bytes per handover, for large events. */
    private static final long BYTES_AT_ONCE = 1 << 20;

    /** Limit of decoded handovers that are not applied yet. */
    private static final int WAITING = 8;

    private static final List<Batch> END = List.of();

    private final RestoreTarget target;
    private final BlockingQueue<List<Batch>> queue = new ArrayBlockingQueue<>(WAITING);
    private final Thread thread = new Thread(this::handOver, "mooring-replay");
    private List<Batch> collected = new ArrayList<>();
    private int events;
    private long bytes;
    private volatile Throwable failure;

    PipelinedRestore(RestoreTarget target) {
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
        for (Event event : batch.events()) {
            bytes += EventLog.sizeBound(event);
        }
        if (events >= EVENTS_AT_ONCE || bytes >= BYTES_AT_ONCE) {
            if (!thread.isAlive()) {
                thread.start();
            }
            put(collected);
            collected = new ArrayList<>();
            events = 0;
            bytes = 0;
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
            throw new InterruptedIOException("Interrupted while opening the log");
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

    /** Applies batches. After a failure the queue is still drained, so that the reader does not block forever. */
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
            throw new IllegalStateException("Failed to replay the log", thrown);
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
                throw new InterruptedIOException("Interrupted while opening the log");
            }
        }
    }
}
