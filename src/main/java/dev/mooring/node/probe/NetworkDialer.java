package dev.mooring.node.probe;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Resolves and connects to probe targets without blocking. Failure messages are the kubelet's. Thread-safe. */
final class NetworkDialer implements AutoCloseable {
    /** Limit of concurrent name lookups; each blocks a thread. Few targets need one. */
    private static final int LOOKUPS = 8;

    private final TcpConnector wires = new TcpConnector();
    private final ConcurrencyLimiter lookups = new ConcurrencyLimiter(LOOKUPS);
    private final Executor threads;

    NetworkDialer(Executor threads) {
        this.threads = threads;
    }

    /** Opens a connection that is closed when the attempt ends. */
    CompletableFuture<AsyncConnection> dial(TimedAttempt<?> attempt, String host, int port) {
        return address(host).thenCompose(address -> connect(attempt, new InetSocketAddress(address, port)));
    }

    private CompletableFuture<AsyncConnection> connect(TimedAttempt<?> attempt, InetSocketAddress address) {
        if (attempt.isDone()) {
            return CompletableFuture.failedFuture(
                    new IOException(ProbeMessages.dial(address) + "operation was canceled"));
        }
        CompletableFuture<AsyncConnection> connecting = wires.connect(address);
        attempt.onComplete(() -> connecting.cancel(false));
        return connecting.handle((connection, failure) -> failure).thenCompose(failure -> {
            if (failure != null) {
                return CompletableFuture.failedFuture(
                        new IOException(ProbeMessages.dial(address) + ProbeMessages.connectError(failure), failure));
            }
            attempt.onComplete(connecting.join()::close);
            return connecting;
        });
    }

    private CompletableFuture<InetAddress> address(String host) {
        CompletableFuture<InetAddress> found = new CompletableFuture<>();
        Runnable lookup = () -> {
            try {
                found.complete(InetAddress.getByName(host));
            } catch (UnknownHostException | RuntimeException e) {
                found.completeExceptionally(new IOException("dial tcp: lookup " + host + ": no such host", e));
            }
        };
        if (isAddress(host)) {
            lookup.run();
        } else {
            lookups.run(() -> CompletableFuture.runAsync(lookup, threads));
        }
        return found;
    }

    /** Returns whether the host is an IP address, which needs no lookup. */
    private static boolean isAddress(String host) {
        if (host.indexOf(':') >= 0) {
            return true;
        }
        String[] parts = host.split("\\.", -1);
        for (String part : parts) {
            boolean number =
                    !part.isEmpty() && part.length() <= 3 && part.chars().allMatch(c -> c >= '0' && c <= '9');
            if (!number || Integer.parseInt(part) > 255) {
                return false;
            }
        }
        return parts.length == 4;
    }

    @Override
    public void close() {
        wires.close();
    }

    /**
     * An asynchronous connection. Callers wait for the previous read or write before they start the next one. Closing
     * it ends pending operations.
     */
    interface AsyncConnection extends AutoCloseable {
        CompletableFuture<Void> write(byte[] bytes);

        /** Reads the next bytes; an empty array means end of stream. */
        CompletableFuture<byte[]> read();

        @Override
        void close();
    }
}
