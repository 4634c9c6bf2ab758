package dev.mooring.api.container;

import dev.mooring.api.container.ContainerAccess.OutputSink;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Passes a container's output from the threads that read it to the client's event loop. Small chunks are combined; when
 * too many bytes are waiting for the client's socket, producers wait. Buffers output until it is opened.
 *
 * <p>{@link #output} may be called on any thread; all other methods run on the event loop.
 */
final class OutputBuffer implements OutputSink {
    /** Receives the bytes in order. */
    interface OutputTarget {
        /** Completes when the bytes are written to the socket. */
        Future<Void> write(OutputSource source, Buffer bytes);
    }

    /** Maximum number of bytes held for a slow client. */
    private static final int HIGH_WATER_BYTES = 256 * 1024;

    private static final int LOW_WATER_BYTES = 64 * 1024;

    /**
     * Maximum size of a combined write; with the channel byte it fits into a frame of 64 KiB, which every client
     * accepts.
     */
    private static final int MAX_WRITE_BYTES = 32 * 1024;

    private static final CompletionStage<Void> READY = CompletableFuture.completedStage(null);

    private final Context context;
    private final OutputTarget target;

    // guarded by this
    private final Deque<OutputChunk> queue = new ArrayDeque<>();
    private long bufferedBytes;
    private boolean open;
    private boolean scheduled;
    private boolean closed;
    private CompletableFuture<Void> readyAgain;

    private record OutputChunk(OutputSource source, Buffer bytes) {}

    OutputBuffer(Context context, OutputTarget drain) {
        this.context = context;
        this.target = drain;
    }

    @Override
    public CompletionStage<Void> output(OutputSource source, byte[] bytes) {
        boolean schedule;
        CompletionStage<Void> ready;
        synchronized (this) {
            if (closed) {
                return CompletableFuture.failedStage(closedException());
            }
            queue.add(new OutputChunk(source, Buffer.buffer(bytes)));
            bufferedBytes += bytes.length;
            schedule = open && !scheduled;
            scheduled |= schedule;
            if (bufferedBytes < HIGH_WATER_BYTES) {
                ready = READY;
            } else {
                readyAgain = readyAgain == null ? new CompletableFuture<>() : readyAgain;
                ready = readyAgain;
            }
        }
        if (schedule) {
            context.runOnContext(v -> flush());
        }
        return ready;
    }

    /** Starts to pass on output. */
    void open() {
        synchronized (this) {
            open = true;
            scheduled = true;
        }
        flush();
    }

    /** Discards further output and fails waiting producers. */
    void close() {
        CompletableFuture<Void> waiting;
        synchronized (this) {
            closed = true;
            queue.clear();
            waiting = readyAgain;
            readyAgain = null;
        }
        if (waiting != null) {
            waiting.completeExceptionally(closedException());
        }
    }

    private void flush() {
        while (true) {
            OutputSource source;
            Buffer together;
            synchronized (this) {
                OutputChunk first = queue.poll();
                if (first == null) {
                    scheduled = false;
                    return;
                }
                source = first.source();
                together = first.bytes();
                while (isNext(source, MAX_WRITE_BYTES - together.length())) {
                    together.appendBuffer(queue.remove().bytes());
                }
            }
            int length = together.length();
            target.write(source, together).onComplete(done -> written(length, done.succeeded()));
        }
    }

    private boolean isNext(OutputSource source, int space) {
        OutputChunk next = queue.peek();
        return next != null && next.source() == source && next.bytes().length() <= space;
    }

    private void written(int length, boolean taken) {
        if (!taken) {
            close();
            return;
        }
        CompletableFuture<Void> waiting = null;
        synchronized (this) {
            bufferedBytes -= length;
            if (bufferedBytes <= LOW_WATER_BYTES) {
                waiting = readyAgain;
                readyAgain = null;
            }
        }
        if (waiting != null) {
            waiting.complete(null);
        }
    }

    private static IOException closedException() {
        return new IOException("client disconnected");
    }
}
