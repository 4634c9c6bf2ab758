package dev.mooring.volume.nfs;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** Fake NFS port on this machine that accepts connections, refuses them, or does not respond. */
final class FakeNfsPort implements AutoCloseable {
    private static final int MAX_FILLERS = 64;

    /** Far longer than a connection takes on a busy machine. */
    private static final int FILLER_MILLIS = 1000;

    private final int port;
    private final List<Closeable> sockets = new ArrayList<>();

    private FakeNfsPort(int port, Closeable socket) {
        this.port = port;
        this.sockets.add(socket);
    }

    static FakeNfsPort accepting() throws IOException {
        return listening(50);
    }

    private static FakeNfsPort listening(int backlog) throws IOException {
        ServerSocket socket = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
        return new FakeNfsPort(socket.getLocalPort(), socket);
    }

    /**
     * Returns a port that does not respond: the kernel drops connections while the accept queue is full, as a firewall
     * does.
     */
    static FakeNfsPort silent() throws IOException {
        FakeNfsPort server = listening(1);
        for (int i = 0; i < MAX_FILLERS; i++) {
            Socket filler = new Socket();
            server.sockets.add(0, filler);
            try {
                filler.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port), FILLER_MILLIS);
            } catch (SocketTimeoutException full) {
                return server;
            }
        }
        throw new IllegalStateException("Accept queue is not full after " + MAX_FILLERS + " connections");
    }

    /**
     * Returns a port that refuses connections. It is bound until it is closed, so that no other process listens on it.
     */
    static FakeNfsPort refusing() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return new FakeNfsPort(socket.getLocalPort(), socket);
    }

    int port() {
        return port;
    }

    @Override
    public void close() throws IOException {
        for (Closeable each : sockets) {
            each.close();
        }
    }
}
