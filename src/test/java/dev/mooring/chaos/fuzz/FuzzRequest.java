package dev.mooring.chaos.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** One request as it is sent. Immutable; the body must not be modified. */
final class FuzzRequest {
    private static final int EXCERPT = 600;

    private final long number;
    private final Sender sender;
    private final String head;
    private final byte[] body;
    private final SendMode sendMode;

    /** The user whose token is sent. */
    enum Sender {
        ADMIN,
        EDITOR,
        VIEWER,
        NODE,
        /** A token that does not exist. */
        STRANGER,
        /** No token. */
        ANONYMOUS
    }

    enum SendMode {
        /** Well-formed HTTP: one response in time; the connection stays open unless the response closes it. */
        ANSWER,
        /** A stream: the client checks what arrives within a short time, then closes the connection. */
        STREAM,
        /** Invalid but complete HTTP: a response or the end of the connection, in time. */
        BROKEN,
        /** Incomplete HTTP: the client checks what arrives within a short time, then closes the connection. */
        UNFINISHED
    }

    /**
     * @param number its position in the run; with the seed of the run it determines the request
     * @param head request line and headers in Latin-1, without the token and the empty line at the end
     * @param sendMode the expected behaviour of the server
     */
    FuzzRequest(long number, Sender sender, String head, byte[] body, SendMode sendMode) {
        this.number = number;
        this.sender = sender;
        this.head = head;
        this.body = body;
        this.sendMode = sendMode;
    }

    long number() {
        return number;
    }

    Sender sender() {
        return sender;
    }

    String head() {
        return head;
    }

    SendMode sendMode() {
        return sendMode;
    }

    String method() {
        return head.substring(0, Math.max(0, head.indexOf(' ')));
    }

    /** Returns path and query. */
    String target() {
        String line = head.lines().findFirst().orElse("");
        int start = line.indexOf(' ') + 1;
        int end = line.lastIndexOf(' ');
        return end > start ? line.substring(start, end) : line.substring(start);
    }

    String path() {
        String target = target();
        int end = target.indexOf('?');
        return end < 0 ? target : target.substring(0, end);
    }

    byte[] bytes(Optional<String> token) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(head.length() + body.length + 128);
        out.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        token.ifPresent(
                text -> out.writeBytes(("\r\nAuthorization: Bearer " + text).getBytes(StandardCharsets.ISO_8859_1)));
        out.writeBytes(new byte[] {'\r', '\n', '\r', '\n'});
        out.writeBytes(body);
        return out.toByteArray();
    }

    /** Returns a readable description, sufficient to repeat the request manually. */
    String describe() {
        String text = new String(body, StandardCharsets.UTF_8);
        return "as " + sender + ", " + sendMode + "\n" + excerpt(head) + "\n\n" + excerpt(text) + " (" + body.length
                + " bytes)";
    }

    private static String excerpt(String text) {
        String shown = text.length() <= EXCERPT ? text : text.substring(0, EXCERPT) + " …";
        StringBuilder printable = new StringBuilder();
        shown.chars().forEach(c -> printable.append(c == '\n' || (c >= ' ' && c < 0x7f) ? (char) c : '·'));
        return printable.toString();
    }
}
