package dev.mooring.node.probe;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** A server on the loopback address with scripted responses, one per connection; the last one is repeated. */
final class FakeProbeServer implements AutoCloseable {
    /** Keeps the connection open after the response. */
    static final String HANG = "\0hang";
    /** Sends the response without waiting for a request. */
    static final String FIRST = "\0first";
    /** Ends the connection with a reset. */
    static final String RESET = "\0reset";

    final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<String> responses;
    private final Thread acceptor;
    private int served;

    FakeProbeServer(String... responses) throws IOException {
        this.responses = List.of(responses);
        acceptor = new Thread(this::serve, "fake probe server");
        acceptor.setDaemon(true);
        acceptor.start();
    }

    /**
     * Returns a socket whose port refuses connections until the socket is closed. The port of a closed server may be
     * taken by another process at any time.
     */
    static Socket refusing() throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return socket;
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                String response = responses.get(Math.min(served++, responses.size() - 1));
                if (response.equals(HANG)) {
                    continue;
                }
                if (!response.startsWith(FIRST)) {
                    requests.add(head(socket.getInputStream()));
                }
                if (response.endsWith(RESET)) {
                    socket.setSoLinger(true, 0);
                }
                String text = response.replace(HANG, "").replace(RESET, "").replace(FIRST, "");
                socket.getOutputStream().write(text.replace("PORT", "" + port()).getBytes(StandardCharsets.ISO_8859_1));
                if (!response.endsWith(HANG)) {
                    socket.close();
                }
            } catch (IOException e) {
                // The server or the client closed the connection; the next one is served.
            }
        }
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.UTF_8).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                break;
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        server.close();
        for (Socket socket : open) {
            socket.close();
        }
        // A connection may be accepted while the server is being closed.
        acceptor.join();
    }
}
