package dev.mooring.node.probe;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Speaks whatever a test wants it to, on a port of the loopback address: one answer to each request, in order, the last one again and again. */
final class CannedServer implements AutoCloseable {
    /** Leaves the connection open after what it says. */
    static final String HANG = "\0hang";
    /** Does not wait for a request. */
    static final String FIRST = "\0first";
    /** Ends the connection with a reset. */
    static final String RESET = "\0reset";

    final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final List<String> answers;
    private final Thread thread;
    private int served;

    CannedServer(String... answers) throws IOException {
        this.answers = List.of(answers);
        thread = new Thread(this::serve, "canned server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                open.add(socket);
                String answer = answers.get(Math.min(served++, answers.size() - 1));
                if (answer.equals(HANG)) {
                    continue;
                }
                if (!answer.startsWith(FIRST)) {
                    requests.add(head(socket.getInputStream()));
                }
                if (answer.endsWith(RESET)) {
                    socket.setSoLinger(true, 0);
                }
                String text = answer.replace(HANG, "").replace(RESET, "").replace(FIRST, "");
                socket.getOutputStream().write(text.replace("PORT", "" + port()).getBytes(StandardCharsets.ISO_8859_1));
                if (!answer.endsWith(HANG)) {
                    socket.close();
                }
            } catch (IOException e) {
                // The test has ended, or the other side has; the next one is served.
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
        // Somebody could still get in while it is at the door.
        thread.join();
    }
}
