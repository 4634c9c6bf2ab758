package dev.mooring.api.container;

import dev.mooring.api.container.ContainerAccess.Outlet;
import dev.mooring.api.container.ContainerAccess.Source;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * From the threads that bring a container's output to the event loop of the client that wants it. Small pieces go on together; bytes that the
 * client's socket has not taken yet are counted, and when there are many, who brings more is kept waiting. Holds what comes until it is opened.
 *
 * <p>Output may come on any thread; everything else happens on the event loop.
 */
final class Outflow implements Outlet {
    /** Where bytes go, in order. */
    interface Drain {
        /** Completes when the bytes have left. */
        Future<Void> write(Source source, Buffer bytes);
    }

    /** What a client that reads slowly makes the server hold. */
    private static final int MUCH = 256 * 1024;

    private static final int LITTLE = 64 * 1024;

    /** Together in one write; with a channel's byte before it, it fits into a frame of 64 KiB, which every client takes. */
    private static final int TOGETHER = 32 * 1024;

    private static final CompletionStage<Void> ROOM = CompletableFuture.completedStage(null);

    private final Context context;
    private final Drain drain;

    // guarded by this
    private final Deque<Piece> waiting = new ArrayDeque<>();
    private long held;
    private boolean open;
    private boolean scheduled;
    private boolean over;
    private CompletableFuture<Void> room;

    private record Piece(Source source, Buffer bytes) {}

    Outflow(Context context, Drain drain) {
        this.context = context;
        this.drain = drain;
    }

    @Override
    public CompletionStage<Void> output(Source source, byte[] bytes) {
        boolean schedule;
        CompletionStage<Void> answer;
        synchronized (this) {
            if (over) {
                return CompletableFuture.failedStage(gone());
            }
            waiting.add(new Piece(source, Buffer.buffer(bytes)));
            held += bytes.length;
            schedule = open && !scheduled;
            scheduled |= schedule;
            if (held < MUCH) {
                answer = ROOM;
            } else {
                room = room == null ? new CompletableFuture<>() : room;
                answer = room;
            }
        }
        if (schedule) {
            context.runOnContext(v -> pour());
        }
        return answer;
    }

    /** From now on what comes goes on. */
    void open() {
        synchronized (this) {
            open = true;
            scheduled = true;
        }
        pour();
    }

    /** Nothing more is wanted: who waits for room is told so. */
    void close() {
        CompletableFuture<Void> told;
        synchronized (this) {
            over = true;
            waiting.clear();
            told = room;
            room = null;
        }
        if (told != null) {
            told.completeExceptionally(gone());
        }
    }

    private void pour() {
        while (true) {
            Source source;
            Buffer together;
            synchronized (this) {
                Piece first = waiting.poll();
                if (first == null) {
                    scheduled = false;
                    return;
                }
                source = first.source();
                together = first.bytes();
                while (isNext(source, TOGETHER - together.length())) {
                    together.appendBuffer(waiting.remove().bytes());
                }
            }
            int length = together.length();
            drain.write(source, together).onComplete(done -> written(length, done.succeeded()));
        }
    }

    private boolean isNext(Source source, int space) {
        Piece next = waiting.peek();
        return next != null && next.source() == source && next.bytes().length() <= space;
    }

    private void written(int length, boolean taken) {
        if (!taken) {
            close();
            return;
        }
        CompletableFuture<Void> told = null;
        synchronized (this) {
            held -= length;
            if (held <= LITTLE) {
                told = room;
                room = null;
            }
        }
        if (told != null) {
            told.complete(null);
        }
    }

    private static IOException gone() {
        return new IOException("the client has gone");
    }
}
