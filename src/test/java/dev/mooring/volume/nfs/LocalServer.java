package dev.mooring.volume.nfs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/** A port of this machine that takes connections, refuses them, or swallows them without a word. */
final class LocalServer implements AutoCloseable {
    private static final int MOST_FILLERS = 64;
    private static final int FILLER_MILLIS = 150;

    private final ServerSocket socket;
    private final List<Socket> fillers = new ArrayList<>();

    private LocalServer(ServerSocket socket) {
        this.socket = socket;
    }

    static LocalServer accepting() throws IOException {
        return new LocalServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    /** The kernel drops what comes when a queue is full that nobody empties, as a firewall does. */
    static LocalServer silent() throws IOException {
        LocalServer server = new LocalServer(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
        for (int i = 0; i < MOST_FILLERS; i++) {
            Socket filler = new Socket();
            server.fillers.add(filler);
            try {
                filler.connect(server.socket.getLocalSocketAddress(), FILLER_MILLIS);
            } catch (SocketTimeoutException full) {
                return server;
            }
        }
        throw new IllegalStateException("Expected the queue to be full after " + MOST_FILLERS + " connections");
    }

    /** A port at which nobody listens. */
    static int closedPort() throws IOException {
        try (LocalServer gone = accepting()) {
            return gone.port();
        }
    }

    int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        for (Socket each : fillers) {
            each.close();
        }
        socket.close();
    }
}
