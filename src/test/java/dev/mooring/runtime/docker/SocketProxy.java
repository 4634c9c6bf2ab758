package dev.mooring.runtime.docker;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before an engine's socket, to break connections or to keep silent. */
final class SocketProxy implements AutoCloseable {
    private final ServerSocketChannel server;
    private final Path own;
    private final Path engine;
    private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();
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
            thread(() -> pump(client, there));
            thread(() -> pump(there, client));
        }
    }

    private static void pump(SocketChannel from, SocketChannel to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(8192);
        try (from;
                to) {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
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
