package dev.mooring.node.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Connections over TCP that need no thread while nothing comes: two threads serve all of them, and are there from the first connection to
 * {@link #close}. Thread-safe.
 */
final class Wires implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int CHUNK = 16 * 1024;

    private AsynchronousChannelGroup group;
    private boolean closed;

    /** The address must be resolved. */
    CompletableFuture<Wire> connect(InetSocketAddress address) {
        Done<Void, Wire> connected = new Done<>();
        try {
            AsynchronousSocketChannel channel = AsynchronousSocketChannel.open(group());
            Wire wire = new Tcp(channel);
            closeUnlessConnected(connected.future, wire);
            channel.connect(address, null, connected.with(nothing -> wire));
        } catch (IOException | RuntimeException e) {
            connected.future.completeExceptionally(e);
        }
        return connected.future;
    }

    /** Who gives up waiting, by completing the future, has no wire to close. */
    private static void closeUnlessConnected(CompletionStage<Wire> connecting, Wire wire) {
        connecting.whenComplete((done, failure) -> {
            if (failure != null) {
                wire.close();
            }
        });
    }

    private synchronized AsynchronousChannelGroup group() throws IOException {
        if (closed) {
            throw new IOException("Expected to connect, but probes have ended");
        }
        if (group == null) {
            group = AsynchronousChannelGroup.withFixedThreadPool(THREADS, task -> {
                Thread thread = new Thread(task, "mooring-probe");
                thread.setDaemon(true);
                return thread;
            });
        }
        return group;
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (group != null) {
            try {
                group.shutdownNow();
            } catch (IOException e) {
                throw new UncheckedIOException("Expected to close all connections of probes, but could not", e);
            }
        }
    }

    /** A handler that completes a future. */
    private static final class Done<V, T> {
        private final CompletableFuture<T> future = new CompletableFuture<>();

        CompletionHandler<V, Void> with(Function<V, T> made) {
            return new CompletionHandler<>() {
                @Override
                public void completed(V result, Void attachment) {
                    future.complete(made.apply(result));
                }

                @Override
                public void failed(Throwable failure, Void attachment) {
                    future.completeExceptionally(failure);
                }
            };
        }
    }

    /** A plain one. */
    private record Tcp(AsynchronousSocketChannel channel) implements Wire {
        @Override
        public CompletableFuture<Void> write(byte[] bytes) {
            return write(ByteBuffer.wrap(bytes));
        }

        private CompletableFuture<Void> write(ByteBuffer bytes) {
            if (!bytes.hasRemaining()) {
                return CompletableFuture.completedFuture(null);
            }
            Done<Integer, Integer> written = new Done<>();
            channel.write(bytes, null, written.with(count -> count));
            return written.future.thenCompose(count -> write(bytes));
        }

        @Override
        public CompletableFuture<byte[]> read() {
            ByteBuffer room = ByteBuffer.allocate(CHUNK);
            Done<Integer, byte[]> read = new Done<>();
            channel.read(room, null, read.with(count -> bytes(room.flip())));
            return read.future;
        }

        private static byte[] bytes(ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        }

        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException ignored) {
                // It is closed for us; what the other side makes of that is not known anyway.
            }
        }
    }
}
