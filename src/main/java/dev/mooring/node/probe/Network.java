package dev.mooring.node.probe;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** Finds and connects to whoever is to be asked, without waiting for anybody. Failures say what happened in the kubelet's words. Thread-safe. */
final class Network implements AutoCloseable {
    /** Asking for the address of a name blocks a thread; there are few who need it. */
    private static final int LOOKUPS = 8;

    private final Wires wires = new Wires();
    private final Slots lookups = new Slots(LOOKUPS);
    private final Executor threads;

    Network(Executor threads) {
        this.threads = threads;
    }

    /** A connection that is closed with the attempt. */
    CompletableFuture<Wire> dial(Attempt<?> attempt, String host, int port) {
        return address(host).thenCompose(address -> connect(attempt, new InetSocketAddress(address, port)));
    }

    private CompletableFuture<Wire> connect(Attempt<?> attempt, InetSocketAddress address) {
        if (attempt.isOver()) {
            return CompletableFuture.failedFuture(new IOException(Words.dial(address) + "operation was canceled"));
        }
        CompletableFuture<Wire> connecting = wires.connect(address);
        attempt.atEnd(() -> connecting.cancel(false));
        return connecting.handle((wire, failure) -> failure).thenCompose(failure -> {
            if (failure != null) {
                return CompletableFuture.failedFuture(
                        new IOException(Words.dial(address) + Words.refused(failure), failure));
            }
            attempt.atEnd(connecting.join()::close);
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

    /** Whether nobody needs to be asked what it stands for. */
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
}
