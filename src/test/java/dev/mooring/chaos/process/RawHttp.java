package dev.mooring.chaos.process;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** HTTP/1.1 by hand, for clients that are slow, rude or want to know which connection they use. One thread. */
final class RawHttp implements Closeable {
    private static final int PATIENCE_MILLIS = 30_000;

    /** Little, so that whoever does not read is noticed early. With TLS the window would be less than a record, and each handshake take seconds. */
    private static final int RECEIVE_BYTES = 4 * 1024;

    private static final int SECURED_RECEIVE_BYTES = 64 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final String credentials;
    private boolean over;

    /** What came back. */
    record Answer(int code, String body) {}

    private RawHttp(Socket socket, String token) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 1024);
        this.credentials = "Host: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n";
    }

    static RawHttp plain(Api api) throws IOException {
        return new RawHttp(connected(api.plainPort(), RECEIVE_BYTES), api.token());
    }

    static RawHttp secured(Api api) throws IOException {
        Socket bare = connected(api.port(), SECURED_RECEIVE_BYTES);
        return new RawHttp(api.tls().getSocketFactory().createSocket(bare, "127.0.0.1", api.port(), true), api.token());
    }

    private static Socket connected(int port, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBytes);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
        return socket;
    }

    void patience(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /** Sends a whole head with host and token. */
    void head(String requestLine, String... headers) throws IOException {
        StringBuilder head = new StringBuilder(requestLine + " HTTP/1.1\r\n" + credentials);
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        send(head.append("\r\n").toString());
    }

    Answer get(String path) throws IOException {
        head("GET " + path);
        return answer();
    }

    Answer post(String path, String body) throws IOException {
        head(
                "POST " + path,
                "Content-Type: application/json",
                "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length);
        send(body);
        return answer();
    }

    Answer answer() throws IOException {
        String status = line();
        if (status.isEmpty()) {
            throw new IOException("Expected an answer, but the server closed");
        }
        int length = 0;
        boolean chunked = false;
        for (String header = line(); !header.isEmpty(); header = line()) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(lower.substring(15).trim());
            }
            chunked |= lower.startsWith("transfer-encoding: chunked");
        }
        StringBuilder body = new StringBuilder();
        if (chunked) {
            for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
                body.append(new String(in.readNBytes(size), StandardCharsets.UTF_8));
                line();
            }
            line();
        } else {
            body.append(new String(in.readNBytes(length), StandardCharsets.UTF_8));
        }
        return new Answer(Integer.parseInt(status.split(" ", 3)[1]), body.toString());
    }

    /** Reads one byte, if one is there, and returns what it is. */
    String sip() throws IOException {
        return in.available() > 0 ? String.valueOf((char) in.read()) : "";
    }

    /** Up to the end of the line; "" at the end of all. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int c = in.read();
        for (; c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        over = c < 0;
        return line.toString();
    }

    /** Whether a line was cut short by the end of all. */
    boolean isOver() {
        return over;
    }

    /** Reads until the server closes; whether it did before patience ended. */
    boolean isClosed() {
        byte[] buffer = new byte[16 * 1024];
        try {
            while (in.read(buffer) >= 0) {
                // what comes is of no interest
            }
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
