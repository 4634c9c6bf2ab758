package dev.mooring.chaos.fuzz;

import dev.mooring.chaos.fuzz.Call.Manner;
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

/** HTTP/1.1 over plain sockets, kept open from request to request while the server agrees. Sends whatever it is told to. For one thread. */
final class FuzzConnection implements Closeable {
    private static final int DEADLINE_MILLIS = 20_000;
    private static final int MOMENT_MILLIS = 25;

    private final int port;
    private Socket socket;
    private InputStream in;

    FuzzConnection(int port) {
        this.port = port;
    }

    /**
     * What the server said; nothing if it rightly said nothing.
     *
     * @throws IOException if an answer that was due did not come, or was no HTTP
     */
    Optional<Reply> send(Call call, Optional<String> token) throws IOException {
        if (socket == null) {
            open();
        }
        Manner manner = call.manner();
        try {
            write(call.bytes(token), manner);
            Reply reply = manner == Manner.UNFINISHED ? withinAMoment(call) : reply(call);
            if (manner != Manner.ANSWER || reply.closes() || reply.code() == 101 || isOfTheCodec(reply)) {
                close();
            }
            return Optional.of(reply);
        } catch (EOFException | SocketTimeoutException e) {
            boolean mayBeSilent = manner == Manner.UNFINISHED || (manner == Manner.BROKEN && e instanceof EOFException);
            close();
            if (mayBeSilent) {
                return Optional.empty();
            }
            throw e;
        } catch (IOException e) {
            close();
            // A server that has heard enough resets the connection.
            if (manner == Manner.BROKEN || manner == Manner.UNFINISHED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Heads that are too large are refused before anybody looks at them, and what follows them is not read. */
    private static boolean isOfTheCodec(Reply reply) {
        return reply.code() == 414 || reply.code() == 431;
    }

    private void open() throws IOException {
        Socket opened = new Socket();
        opened.setTcpNoDelay(true);
        opened.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), DEADLINE_MILLIS);
        socket = opened;
        in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    }

    /** A server that refuses a large body before it has all of it has answered already: that is what counts. */
    private void write(byte[] bytes, Manner manner) throws IOException {
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException e) {
            if (manner != Manner.ANSWER || bytes.length < 1 << 20) {
                throw e;
            }
        }
    }

    private Reply withinAMoment(Call call) throws IOException {
        socket.setSoTimeout(MOMENT_MILLIS);
        return reply(call);
    }

    private Reply reply(Call call) throws IOException {
        if (call.manner() != Manner.UNFINISHED) {
            socket.setSoTimeout(DEADLINE_MILLIS);
        }
        while (true) {
            int code = code(line());
            Map<String, String> headers = headers();
            if (code == 101 || code >= 200) {
                return new Reply(code, headers, hasBody(call, code) ? body(call, headers) : new byte[0]);
            }
        }
    }

    private static boolean hasBody(Call call, int code) {
        return !call.method().equals("HEAD") && code != 101 && code != 204 && code != 304;
    }

    private static int code(String status) throws IOException {
        if (!status.startsWith("HTTP/1.") || status.length() < 12) {
            throw new IOException("Expected a status line, but found: " + status);
        }
        return Integer.parseInt(status.substring(9, 12));
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (String header = line(); !header.isEmpty(); header = line()) {
            int colon = header.indexOf(':');
            if (colon <= 0) {
                throw new IOException("Expected a header, but found: " + header);
            }
            headers.put(
                    header.substring(0, colon).toLowerCase(Locale.ROOT),
                    header.substring(colon + 1).trim());
        }
        return headers;
    }

    private byte[] body(Call call, Map<String, String> headers) throws IOException {
        if (headers.containsKey("content-length")) {
            int length = Integer.parseInt(headers.get("content-length"));
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new EOFException("Expected " + length + " bytes, but only " + body.length + " came");
            }
            return body;
        }
        if (!"chunked".equals(headers.get("transfer-encoding"))) {
            return in.readAllBytes();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        if (call.manner() == Manner.STREAM) {
            socket.setSoTimeout(MOMENT_MILLIS);
        }
        try {
            for (int size = size(); size > 0; size = size()) {
                body.write(in.readNBytes(size));
                line();
            }
            line();
        } catch (SocketTimeoutException e) {
            if (call.manner() != Manner.STREAM) {
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
            throw new IOException("Expected the size of a chunk, but found: " + line, e);
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("Expected a line, but the server closed the connection");
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
