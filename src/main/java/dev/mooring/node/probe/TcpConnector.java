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
 * Opens asynchronous TCP connections. Two threads serve all connections, from the first connection to {@link #close};
 * an idle connection holds no thread. Thread-safe.
 */
final class TcpConnector implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int CHUNK = 16 * 1024;

    private AsynchronousChannelGroup group;
    private boolean closed;

    /** Connects to a resolved address. */
    CompletableFuture<NetworkDialer.AsyncConnection> connect(InetSocketAddress address) {
        FutureHandler<Void, NetworkDialer.AsyncConnection> connected = new FutureHandler<>();
        try {
            AsynchronousSocketChannel channel = AsynchronousSocketChannel.open(group());
            NetworkDialer.AsyncConnection connection = new TcpConnection(channel);
            closeUnlessConnected(connected.future, connection);
            channel.connect(address, null, connected.with(nothing -> connection));
        } catch (IOException | RuntimeException e) {
            connected.future.completeExceptionally(e);
        }
        return connected.future;
    }

    /** Closes the connection if the caller has cancelled or completed the future before it was connected. */
    private static void closeUnlessConnected(
            CompletionStage<NetworkDialer.AsyncConnection> connecting, NetworkDialer.AsyncConnection connection) {
        connecting.whenComplete((done, failure) -> {
            if (failure != null) {
                connection.close();
            }
        });
    }

    private synchronized AsynchronousChannelGroup group() throws IOException {
        if (closed) {
            throw new IOException("Cannot connect: probing is shut down");
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
                throw new UncheckedIOException("Failed to close the connections of probes", e);
            }
        }
    }

    /** A completion handler that completes a future. */
    private static final class FutureHandler<V, T> {
        private final CompletableFuture<T> future = new CompletableFuture<>();

        CompletionHandler<V, Void> with(Function<V, T> mapper) {
            return new CompletionHandler<>() {
                @Override
                public void completed(V result, Void attachment) {
                    future.complete(mapper.apply(result));
                }

                @Override
                public void failed(Throwable failure, Void attachment) {
                    future.completeExceptionally(failure);
                }
            };
        }
    }

    /** A TCP connection without TLS. */
    private record TcpConnection(AsynchronousSocketChannel channel) implements NetworkDialer.AsyncConnection {
        @Override
        public CompletableFuture<Void> write(byte[] bytes) {
            return write(ByteBuffer.wrap(bytes));
        }

        private CompletableFuture<Void> write(ByteBuffer bytes) {
            if (!bytes.hasRemaining()) {
                return CompletableFuture.completedFuture(null);
            }
            FutureHandler<Integer, Integer> written = new FutureHandler<>();
            channel.write(bytes, null, written.with(count -> count));
            return written.future.thenCompose(count -> write(bytes));
        }

        @Override
        public CompletableFuture<byte[]> read() {
            ByteBuffer room = ByteBuffer.allocate(CHUNK);
            FutureHandler<Integer, byte[]> read = new FutureHandler<>();
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
                // The connection counts as closed; the peer's state is unknown in any case.
            }
        }
    }
}
