package dev.mooring.chaos.process;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** HTTP/1.1 client on a socket, for slow or incomplete requests and for control over the connection. One thread. */
final class RawHttp implements Closeable {
    private static final int TIMEOUT_MILLIS = 60_000;

    /**
     * Small, so that the server notices early that a client does not read. With TLS it would be less than a record, and
     * each handshake would take seconds.
     */
    private static final int RECEIVE_BYTES = 4 * 1024;

    private static final int SECURED_RECEIVE_BYTES = 64 * 1024;

    private final Socket socket;
    private final InputStream in;
    private final String credentials;
    private boolean atEnd;

    /** An HTTP response. */
    record RawResponse(int code, String body) {}

    private RawHttp(Socket socket, String token) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream(), 1024);
        this.credentials = "Host: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n";
    }

    static RawHttp plain(ServerApi api) throws IOException {
        return new RawHttp(connected(api.plainPort(), RECEIVE_BYTES), api.token());
    }

    static RawHttp secured(ServerApi api) throws IOException {
        Socket bare = connected(api.port(), SECURED_RECEIVE_BYTES);
        return new RawHttp(api.tls().getSocketFactory().createSocket(bare, "127.0.0.1", api.port(), true), api.token());
    }

    private static Socket connected(int port, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(receiveBytes);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
        return socket;
    }

    void setTimeout(int millis) throws IOException {
        socket.setSoTimeout(millis);
    }

    void send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().flush();
    }

    /** Sends a complete head with host and token. */
    void head(String requestLine, String... headers) throws IOException {
        StringBuilder head = new StringBuilder(requestLine + " HTTP/1.1\r\n" + credentials);
        for (String header : headers) {
            head.append(header).append("\r\n");
        }
        send(head.append("\r\n").toString());
    }

    RawResponse get(String path) throws IOException {
        head("GET " + path);
        return answer();
    }

    RawResponse post(String path, String body) throws IOException {
        sendPost(path, body);
        return answer();
    }

    /** Sends a request without waiting for its response. */
    void sendPost(String path, String body) throws IOException {
        head(
                "POST " + path,
                "Content-Type: application/json",
                "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length);
        send(body);
    }

    /** Returns whether the response, or the end of the connection, begins to arrive within a time. Reads nothing. */
    boolean isAnsweredWithin(int millis) throws IOException {
        in.mark(1);
        socket.setSoTimeout(millis);
        try {
            if (in.read() >= 0) {
                in.reset();
            }
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } finally {
            socket.setSoTimeout(TIMEOUT_MILLIS);
        }
    }

    RawResponse answer() throws IOException {
        String status = line();
        if (status.isEmpty()) {
            throw new IOException("The server closed the connection");
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
        return new RawResponse(Integer.parseInt(status.split(" ", 3)[1]), body.toString());
    }

    /** Returns the next byte as a string; "" if none is available. */
    String readByte() throws IOException {
        return in.available() > 0 ? String.valueOf((char) in.read()) : "";
    }

    /** Reads a line; returns "" at the end of the stream. */
    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int c = in.read();
        for (; c >= 0 && c != '\n'; c = in.read()) {
            if (c != '\r') {
                line.append((char) c);
            }
        }
        atEnd = c < 0;
        return line.toString();
    }

    /** Returns whether the last line ended with the stream. */
    boolean isAtEnd() {
        return atEnd;
    }

    /** Reads until the server closes the connection; returns whether it did before the timeout. */
    boolean isClosed() {
        byte[] buffer = new byte[16 * 1024];
        try {
            while (in.read(buffer) >= 0) {
                // discard
            }
            return true;
        } catch (SocketTimeoutException e) {
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
