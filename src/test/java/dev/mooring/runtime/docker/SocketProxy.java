package dev.mooring.runtime.docker;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** A proxy of an engine's socket that can break connections, leave them without response, or drop requests. */
final class SocketProxy implements AutoCloseable {
    private final ServerSocketChannel server;
    private final Path own;
    private final Path engine;
    private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final Set<String> dropped = ConcurrentHashMap.newKeySet();
    private volatile boolean silent;

    SocketProxy(Path own, Path engine) throws IOException {
        this.own = own;
        this.engine = engine;
        this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(own));
        thread(this::accept);
    }

    String host() {
        return "unix://" + own;
    }

    /** Leaves connections accepted from now on without a response. */
    void keepSilent() {
        silent = true;
    }

    /** Drops all further requests whose first line contains the text. */
    void drop(String text) {
        dropped.add(text);
    }

    int accepted() {
        return accepted.get();
    }

    void breakAll() throws IOException {
        for (SocketChannel channel : open) {
            channel.close();
        }
        open.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
        breakAll();
    }

    private void accept() throws IOException {
        while (true) {
            SocketChannel client = server.accept();
            if (!server.isOpen()) {
                client.close();
                return;
            }
            accepted.incrementAndGet();
            open.add(client);
            if (silent) {
                continue;
            }
            SocketChannel upstream = SocketChannel.open(UnixDomainSocketAddress.of(engine));
            open.add(upstream);
            thread(() -> pump(client, upstream, this::isDropped));
            thread(() -> pump(upstream, client, bytes -> false));
        }
    }

    private boolean isDropped(ByteBuffer request) {
        String line = StandardCharsets.ISO_8859_1
                .decode(request.duplicate())
                .toString()
                .lines()
                .findFirst()
                .orElse("");
        return dropped.stream().anyMatch(line::contains);
    }

    private static void pump(SocketChannel from, SocketChannel to, Predicate<ByteBuffer> isDropped) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(8192);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining() && !isDropped.test(buffer)) {
                    to.write(buffer);
                }
                buffer.clear();
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void thread(Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException ended) {
                        // closed by the test
                    }
                },
                "socket-proxy");
        thread.setDaemon(true);
        thread.start();
    }
}
