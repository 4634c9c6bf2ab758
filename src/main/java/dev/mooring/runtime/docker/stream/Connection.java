package dev.mooring.runtime.docker.stream;

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
 * One exchange of HTTP/1.1 with an engine, on a wire of its own: a request, the head of the answer, then whatever comes out. If the engine handed the wire
 * over, what goes in goes to the process.
 *
 * <p>One thread asks and reads, another may write; closing from any.
 */
final class Connection implements AutoCloseable {
    private static final int LONGEST_LINE = 16 * 1024;
    private static final int MOST_HEADERS = 200;
    private static final int SWITCHING = 101;

    private final Wire wire;
    private final ByteBuffer buffer = ByteBuffer.allocate(Wire.LARGEST_PIECE).limit(0);
    private Body body = Body.UNTIL_CLOSED;
    private long left;

    private enum Body {
        UNTIL_CLOSED,
        OF_KNOWN_LENGTH,
        CHUNKED,
        FINISHED
    }

    /**
     * @param body JSON, or empty
     * @param upgrade whether the wire is to be handed over
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

        /** Asks for the wire to be handed over. */
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

    Connection(Wire wire) {
        this.wire = wire;
    }

    /** Answers with the status. */
    int ask(Request request) throws IOException {
        wire.connect();
        wire.write(ByteBuffer.wrap(request.bytes()));
        String[] status = line().split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/1.") || !status[1].matches("\\d{3}")) {
            throw new ProtocolException("Expected an engine, but something else answers.");
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
     * What has come by now, and at least one byte of it.
     *
     * @return how many, or -1 at the end; an end that comes too early is an exception
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
        wire.write(ByteBuffer.wrap(bytes));
    }

    void endOutput() throws IOException {
        wire.endOutput();
    }

    @Override
    public void close() {
        wire.close();
    }

    private int ofKnownLength(byte[] into) throws IOException {
        if (left == 0) {
            body = Body.FINISHED;
            return -1;
        }
        int count = copy(into, 0, (int) Math.min(into.length, left));
        if (count < 0) {
            throw new EOFException("the engine broke off in the middle of its answer");
        }
        left -= count;
        return count;
    }

    /** An engine sends each line of a log as a chunk: as many as are there are taken at once. */
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
                throw new EOFException("the engine broke off in the middle of its answer");
            }
            filled += count;
            left -= count;
            if (left == 0 && !line().isEmpty()) {
                throw new ProtocolException("Expected the end of a chunk, but there is more.");
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
            count = wire.read(buffer);
        } finally {
            buffer.flip();
        }
        return count > 0;
    }

    private Map<String, String> headers() throws IOException {
        Map<String, String> headers = new HashMap<>();
        for (int n = 0; n < MOST_HEADERS; n++) {
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
        throw new ProtocolException("Expected an engine's answer, but it has more than " + MOST_HEADERS + " headers.");
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        while (line.length() < LONGEST_LINE) {
            if (!buffer.hasRemaining() && !fill()) {
                throw new EOFException("the engine broke off in the middle of its answer");
            }
            char c = (char) (buffer.get() & 0xff);
            if (c == '\n') {
                int length = line.length();
                return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
            }
            line.append(c);
        }
        throw new ProtocolException("Expected an engine's answer, but a line of it has no end.");
    }

    private static long number(String digits, int radix) throws ProtocolException {
        try {
            long number = Long.parseLong(digits, radix);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException expected) {
            // Answered below.
        }
        throw new ProtocolException("Expected a length, but the engine's answer says '" + digits + "'.");
    }
}
