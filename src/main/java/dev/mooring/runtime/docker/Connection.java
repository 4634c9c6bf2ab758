package dev.mooring.runtime.docker;

import java.io.EOFException;
import java.io.IOException;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One HTTP/1.1 exchange with an engine on its own connection: a request, the response head, then the stream. After an
 * upgrade, written bytes go to the process.
 *
 * <p>One thread sends and reads, another may write; any thread may close it.
 */
final class Connection implements AutoCloseable {
    private static final int MAX_LINE_LENGTH = 16 * 1024;
    private static final int MAX_HEADERS = 200;
    private static final int SWITCHING = 101;

    private final Transport transport;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(Transport.LARGEST_PIECE).limit(0);
    private Body body = Body.UNTIL_CLOSED;
    private long left;

    private enum Body {
        UNTIL_CLOSED,
        OF_KNOWN_LENGTH,
        CHUNKED,
        FINISHED
    }

    /**
     * A request.
     *
     * @param body JSON, or empty
     * @param upgrade whether to request a connection upgrade
     */
    record Request(String method, String target, String body, boolean upgrade) {
        static Request get(String target) {
            return new Request("GET", target, "", false);
        }

        static Request post(String target) {
            return new Request("POST", target, "", false);
        }

        static Request post(String target, String json) {
            return new Request("POST", target, json, false);
        }

        /** Returns this request with a connection upgrade. */
        Request upgrading() {
            return new Request(method, target, body, true);
        }

        private byte[] bytes() {
            StringBuilder head = new StringBuilder(256)
                    .append(method)
                    .append(' ')
                    .append(target)
                    .append(" HTTP/1.1\r\nHost: docker\r\nUser-Agent: mooring\r\n")
                    .append(upgrade ? "Connection: Upgrade\r\nUpgrade: tcp\r\n" : "Connection: close\r\n");
            byte[] content = body.getBytes(StandardCharsets.UTF_8);
            if ("POST".equals(method)) {
                head.append("Content-Length: ").append(content.length).append("\r\n");
            }
            if (content.length > 0) {
                head.append("Content-Type: application/json\r\n");
            }
            byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
            byte[] all = Arrays.copyOf(start, start.length + content.length);
            System.arraycopy(content, 0, all, start.length, content.length);
            return all;
        }
    }

    Connection(Transport transport) {
        this.transport = transport;
    }

    /** Sends a request and returns the status. */
    int send(Request request) throws IOException {
        transport.connect();
        transport.write(ByteBuffer.wrap(request.bytes()));
        String[] status = line().split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/1.") || !status[1].matches("\\d{3}")) {
            throw new ProtocolException("the response is not HTTP: another program listens at this address");
        }
        int code = Integer.parseInt(status[1]);
        Map<String, String> headers = headers();
        if (code == SWITCHING) {
            body = Body.UNTIL_CLOSED;
        } else if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
            body = Body.CHUNKED;
        } else if (headers.containsKey("content-length")) {
            body = Body.OF_KNOWN_LENGTH;
            left = number(headers.get("content-length"), 10);
        }
        return code;
    }

    /**
     * Reads the available bytes, at least one.
     *
     * @return their number, or -1 at the end; a premature end is an exception
     */
    int read(byte[] into) throws IOException {
        return switch (body) {
            case FINISHED -> -1;
            case UNTIL_CLOSED -> copy(into, 0, into.length);
            case OF_KNOWN_LENGTH -> ofKnownLength(into);
            case CHUNKED -> chunks(into);
        };
    }

    void write(byte[] bytes) throws IOException {
        transport.write(ByteBuffer.wrap(bytes));
    }

    void endOutput() throws IOException {
        transport.endOutput();
    }

    @Override
    public void close() {
        transport.close();
    }

    private int ofKnownLength(byte[] into) throws IOException {
        if (left == 0) {
            body = Body.FINISHED;
            return -1;
        }
        int count = copy(into, 0, (int) Math.min(into.length, left));
        if (count < 0) {
            throw new EOFException("the engine closed the connection in the middle of its response");
        }
        left -= count;
        return count;
    }

    /** Reads all available chunks at once, because the engine sends each log line as one chunk. */
    private int chunks(byte[] into) throws IOException {
        int filled = 0;
        while (filled < into.length && (filled == 0 || buffer.hasRemaining())) {
            if (left == 0) {
                left = number(line().split(";", 2)[0].trim(), 16);
                if (left == 0) {
                    headers();
                    body = Body.FINISHED;
                    return filled == 0 ? -1 : filled;
                }
            }
            if (filled > 0 && !buffer.hasRemaining()) {
                break;
            }
            int count = copy(into, filled, (int) Math.min(into.length - filled, left));
            if (count < 0) {
                throw new EOFException("the engine closed the connection in the middle of its response");
            }
            filled += count;
            left -= count;
            if (left == 0 && !line().isEmpty()) {
                throw new ProtocolException("a chunk of the engine's response is longer than announced");
            }
        }
        return filled;
    }

    private int copy(byte[] into, int from, int most) throws IOException {
        if (!buffer.hasRemaining() && !fill()) {
            return -1;
        }
        int count = Math.min(most, buffer.remaining());
        buffer.get(into, from, count);
        return count;
    }

    private boolean fill() throws IOException {
        buffer.clear();
        int count;
        try {
            count = transport.read(buffer);
        } finally {
            buffer.flip();
        }
        return count > 0;
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int n = 0; n < MAX_HEADERS; n++) {
            String line = line();
            if (line.isEmpty()) {
                return headers;
            }
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).trim());
            }
        }
        throw new ProtocolException("the engine's response has more than " + MAX_HEADERS + " headers");
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < MAX_LINE_LENGTH) {
            if (!buffer.hasRemaining() && !fill()) {
                throw new EOFException("the engine closed the connection in the middle of its response");
            }
            char c = (char) (buffer.get() & 0xff);
            if (c == '\n') {
                int length = line.length();
                return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
            }
            line.append(c);
        }
        throw new ProtocolException("a line of the engine's response has more than " + MAX_LINE_LENGTH + " characters");
    }

    private static long number(String digits, int radix) throws ProtocolException {
        try {
            long number = Long.parseLong(digits, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException expected) {
            // Handled below.
        }
        throw new ProtocolException("invalid length in the engine's response: '" + digits + "'");
    }
}
