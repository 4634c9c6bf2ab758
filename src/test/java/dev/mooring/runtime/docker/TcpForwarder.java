package dev.mooring.runtime.docker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLServerSocket;

/** Forwards TCP connections to an engine's socket, with mutual TLS if there are keys; directions end separately. */
final class TcpForwarder implements AutoCloseable {
    private final Path engine;
    private final ServerSocket server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    TcpForwarder(Path engine, Optional<TestKeys> keys, String protocol) throws IOException {
        this.engine = engine;
        InetAddress here = InetAddress.getLoopbackAddress();
        if (keys.isPresent()) {
            SSLServerSocket secure = (SSLServerSocket)
                    keys.get().server().getServerSocketFactory().createServerSocket(0, 50, here);
            secure.setNeedClientAuth(true);
            secure.setEnabledProtocols(new String[] {protocol});
            server = secure;
        } else {
            server = new ServerSocket(0, 50, here);
        }
        daemon(this::accept);
    }

    String host() {
        return "tcp://127.0.0.1:" + server.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket caller = server.accept();
                sockets.add(caller);
                daemon(() -> join(caller));
            }
        } catch (IOException expected) {
            // Closed.
        }
    }

    private void join(Socket caller) {
        try (caller;
                SocketChannel upstream = SocketChannel.open(UnixDomainSocketAddress.of(engine))) {
            daemon(() -> forwardToEngine(caller, upstream));
            ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);
            while (upstream.read(buffer) >= 0) {
                caller.getOutputStream().write(buffer.array(), 0, buffer.position());
                buffer.clear();
            }
        } catch (IOException expected) {
            // One side closed the connection.
        }
    }

    private static void forwardToEngine(Socket caller, SocketChannel upstream) {
        byte[] piece = new byte[64 * 1024];
        try {
            for (int count = caller.getInputStream().read(piece);
                    count >= 0;
                    count = caller.getInputStream().read(piece)) {
                ByteBuffer buffer = ByteBuffer.wrap(piece, 0, count);
                while (buffer.hasRemaining()) {
                    upstream.write(buffer);
                }
            }
            upstream.shutdownOutput();
        } catch (IOException expected) {
            // One side closed the connection.
        }
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "forwarder");
        thread.setDaemon(true);
        thread.start();
    }
}
