package dev.mooring.node.probe;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Incrementally parses an HTTP/1.1 response, up to a limit of its body. One thread at a time. */
final class HttpReplyReader {
    static final int MAX_BODY = 10 * 1024;
    private static final int MAX_HEAD = 64 * 1024;

    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private Optional<Head> head = Optional.empty();

    private record Head(int status, Map<String, String> headers) {
        boolean hasNoBody() {
            return status == 204 || status == 304;
        }

        boolean isChunked() {
            return headers.getOrDefault("transfer-encoding", "")
                    .toLowerCase(Locale.ROOT)
                    .contains("chunked");
        }

        long length() {
            try {
                return Long.parseLong(
                        headers.getOrDefault("content-length", "-1").trim());
            } catch (NumberFormatException e) {
                return -1;
            }
        }
    }

    /** Returns whether the status is known; later errors concern the body only. */
    boolean hasHead() {
        return head.isPresent();
    }

    /**
     * Returns the response once it is complete or the body limit is reached.
     *
     * @param bytes empty at the end of the stream
     */
    Optional<HttpExchange.HttpReply> feed(byte[] bytes) throws IOException {
        pending.writeBytes(bytes);
        boolean ended = bytes.length == 0;
        // An interim response, such as 100 Continue, precedes the final one.
        while (head.isEmpty() && readHead()) {
            head = head.filter(each -> each.status() >= 200 || each.status() == 101);
        }
        if (head.isEmpty()) {
            if (ended) {
                throw new EOFException(pending.size() == 0 ? "EOF" : "unexpected EOF");
            }
            return Optional.empty();
        }
        return body(head.get(), ended);
    }

    private boolean readHead() throws IOException {
        String text = pending.toString(StandardCharsets.ISO_8859_1);
        String begin = text.substring(0, Math.min(text.length(), 5));
        if (!"HTTP/".startsWith(begin) && !begin.isEmpty()) {
            throw malformed();
        }
        int lines = text.indexOf("\r\n\r\n");
        int bare = text.indexOf("\n\n");
        boolean tidy = lines >= 0 && (bare < 0 || lines < bare);
        int end = tidy ? lines : bare;
        if (end < 0) {
            if (text.length() > MAX_HEAD) {
                throw new IOException("net/http: server response headers exceeded " + MAX_HEAD + " bytes; aborted");
            }
            return false;
        }
        head = Optional.of(parse(text.substring(0, end)));
        pending.reset();
        pending.writeBytes(text.substring(end + (tidy ? 4 : 2)).getBytes(StandardCharsets.ISO_8859_1));
        return true;
    }

    private static Head parse(String text) throws IOException {
        String[] lines = text.split("\n", -1);
        String[] words = lines[0].trim().split(" ", 3);
        if (words.length < 2 || words[1].length() != 3 || !words[1].chars().allMatch(Character::isDigit)) {
            throw malformed();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int colon = lines[i].indexOf(':');
            if (colon > 0) {
                headers.put(
                        lines[i].substring(0, colon).trim().toLowerCase(Locale.ROOT),
                        lines[i].substring(colon + 1).trim());
            }
        }
        return new Head(Integer.parseInt(words[1]), headers);
    }

    /** Creates an error without the received text, for the same reason as {@link HttpExchange.HttpReply}. */
    private static IOException malformed() {
        return new IOException("net/http: HTTP/1.x transport connection broken: malformed HTTP response");
    }

    private Optional<HttpExchange.HttpReply> body(Head found, boolean ended) throws IOException {
        byte[] bytes = pending.toByteArray();
        if (found.hasNoBody()) {
            return reply(found);
        }
        if (found.isChunked()) {
            Chunks chunks = Chunks.of(bytes);
            if (!chunks.complete() && chunks.content().size() < MAX_BODY) {
                return unfinished(ended);
            }
            return reply(found);
        }
        long length = found.length();
        boolean enough = bytes.length >= MAX_BODY || (length >= 0 && bytes.length >= length);
        if (enough || (ended && length < 0)) {
            return reply(found);
        }
        return unfinished(ended);
    }

    private static Optional<HttpExchange.HttpReply> unfinished(boolean ended) throws EOFException {
        if (ended) {
            throw new EOFException("unexpected EOF");
        }
        return Optional.empty();
    }

    private static Optional<HttpExchange.HttpReply> reply(Head head) {
        return Optional.of(new HttpExchange.HttpReply(head.status(), head.headers()));
    }

    /** The chunks of a chunked body received so far. */
    private record Chunks(ByteArrayOutputStream content, boolean complete) {
        static Chunks of(byte[] bytes) throws IOException {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            int at = 0;
            while (content.size() < MAX_BODY) {
                int end = at;
                while (end < bytes.length && bytes[end] != '\n') {
                    end++;
                }
                if (end == bytes.length) {
                    break;
                }
                int size = size(new String(bytes, at, end - at, StandardCharsets.ISO_8859_1));
                if (size == 0) {
                    return new Chunks(content, true);
                }
                int available = Math.min(size, bytes.length - end - 1);
                content.write(bytes, end + 1, available);
                at = end + 1 + size + 2;
                if (available < size || at > bytes.length) {
                    break;
                }
            }
            return new Chunks(content, false);
        }

        private static int size(String line) throws IOException {
            int extension = line.indexOf(';');
            String digits = (extension < 0 ? line : line.substring(0, extension)).trim();
            try {
                // More than the body limit; also prevents overflow of sums.
                return (int) Math.min(Long.parseUnsignedLong(digits, 16), 1 << 24);
            } catch (NumberFormatException e) {
                throw new IOException("invalid byte in chunk length", e);
            }
        }
    }
}
