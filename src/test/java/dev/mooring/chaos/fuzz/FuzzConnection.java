package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.FuzzRequest.SendMode;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** HTTP/1.1 client on a plain socket that stays open between requests if possible. Sends any bytes. For one thread. */
final class FuzzConnection implements Closeable {
    private static final int DEADLINE_MILLIS = 60_000;
    private static final int SHORT_TIMEOUT_MILLIS = 25;

    private final int port;
    private Socket socket;
    private InputStream in;

    FuzzConnection(int port) {
        this.port = port;
    }

    /**
     * Sends a request and returns the response; empty if the server may leave the request without one.
     *
     * @throws IOException if a required response did not arrive or is not HTTP
     */
    Optional<FuzzReply> send(FuzzRequest call, Optional<String> token) throws IOException {
        if (socket == null) {
            open();
        }
        SendMode mode = call.sendMode();
        try {
            write(call.bytes(token), mode);
            FuzzReply reply = mode == SendMode.UNFINISHED ? replyWithinShortTimeout(call) : reply(call);
            if (mode != SendMode.ANSWER || reply.closes() || reply.code() == 101 || isRefusedByCodec(reply)) {
                close();
            }
            return Optional.of(reply);
        } catch (EOFException | SocketTimeoutException e) {
            boolean mayBeSilent = mode == SendMode.UNFINISHED || (mode == SendMode.BROKEN && e instanceof EOFException);
            close();
            if (mayBeSilent) {
                return Optional.empty();
            }
            throw e;
        } catch (IOException e) {
            close();
            // The server may reset the connection of an invalid request.
            if (mode == SendMode.BROKEN || mode == SendMode.UNFINISHED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Sends a request for a stream and leaves the stream open and unread. */
    void open(FuzzRequest call, Optional<String> token) throws IOException {
        open();
        socket.getOutputStream().write(call.bytes(token));
        socket.setSoTimeout(DEADLINE_MILLIS);
        code(line());
    }

    /** Returns whether the HTTP codec refused the head as too large; it does not read the rest of the connection. */
    private static boolean isRefusedByCodec(FuzzReply reply) {
        return reply.code() == 414 || reply.code() == 431;
    }

    private void open() throws IOException {
        Socket opened = new Socket();
        opened.setTcpNoDelay(true);
        opened.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), DEADLINE_MILLIS);
        socket = opened;
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** Writes a request. A failure to send a large body is ignored: the server may refuse it before it has arrived. */
    private void write(byte[] bytes, SendMode mode) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            if (mode != SendMode.ANSWER || bytes.length < 1 << 20) {
                throw e;
            }
        }
    }

    private FuzzReply replyWithinShortTimeout(FuzzRequest call) throws IOException {
        socket.setSoTimeout(SHORT_TIMEOUT_MILLIS);
        return reply(call);
    }

    private FuzzReply reply(FuzzRequest call) throws IOException {
        if (call.sendMode() != SendMode.UNFINISHED) {
            socket.setSoTimeout(DEADLINE_MILLIS);
        }
        while (true) {
            int code = code(line());
            Map<String, String> headers = headers();
            if (code == 101 || code >= 200) {
                return new FuzzReply(code, headers, hasBody(call, code) ? body(call, headers) : new byte[0]);
            }
        }
    }

    private static boolean hasBody(FuzzRequest call, int code) {
        return !call.method().equals("HEAD") && code != 101 && code != 204 && code != 304;
    }

    private static int code(String status) throws IOException {
        if (!status.startsWith("HTTP/1.") || status.length() < 12) {
            throw new IOException("Not a status line: " + status);
        }
        return Integer.parseInt(status.substring(9, 12));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            if (colon <= 0) {
                throw new IOException("Not a header: " + header);
            }
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        return headers;
    }

    private byte[] body(FuzzRequest call, Map<String, String> headers) throws IOException {
        if (headers.containsKey("content-length")) {
            int length = Integer.parseInt(headers.get("content-length"));
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new EOFException("Connection closed after " + body.length + " of " + length + " bytes");
            }
            return body;
        }
        if (!"chunked".equals(headers.get("transfer-encoding"))) {
            return in.readAllBytes();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (call.sendMode() == SendMode.STREAM) {
            socket.setSoTimeout(SHORT_TIMEOUT_MILLIS);
        }
        try {
            for (int size = size(); size > 0; size = size()) {
                body.write(in.readNBytes(size));
                line();
            }
            line();
        } catch (SocketTimeoutException e) {
            if (call.sendMode() != SendMode.STREAM) {
                throw e;
            }
        }
        return body.toByteArray();
    }

    private int size() throws IOException {
        String line = line();
        try {
            return Integer.parseInt(line, 16);
        } catch (NumberFormatException e) {
            throw new IOException("Not a chunk size: " + line, e);
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("The server closed the connection");
            }
            line.write(next);
        }
        String text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public void close() throws IOException {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }
}
