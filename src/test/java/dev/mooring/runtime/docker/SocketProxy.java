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

/** Stands before an engine's socket, to break connections, to keep silent, or to lose requests. */
final class SocketProxy implements AutoCloseable {
    private final ServerSocketChannel server;
    private final Path own;
    private final Path engine;
    private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
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

    /** From now on new connections get no answer. */
    void keepSilent() {
        silent = true;
    }

    /** From now on requests with this in their first line get no answer. */
    void lose(String words) {
        lost.add(words);
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
            accepted.incrementAndGet();
            open.add(client);
            if (silent) {
                continue;
            }
            SocketChannel there = SocketChannel.open(UnixDomainSocketAddress.of(engine));
            open.add(there);
            thread(() -> pump(client, there, this::isLost));
            thread(() -> pump(there, client, bytes -> false));
        }
    }

    private boolean isLost(ByteBuffer request) {
        String line = StandardCharsets.ISO_8859_1
                .decode(request.duplicate())
                .toString()
                .lines()
                .findFirst()
                .orElse("");
        return lost.stream().anyMatch(line::contains);
    }

    private static void pump(SocketChannel from, SocketChannel to, Predicate<ByteBuffer> isLost) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(8192);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining() && !isLost.test(buffer)) {
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
