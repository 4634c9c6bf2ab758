package dev.mooring.chaos.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * One request as it goes over the wire. Immutable; nobody changes the body.
 */
final class Call {
    private static final int EXCERPT = 600;

    private final long number;
    private final Who who;
    private final String head;
    private final byte[] body;
    private final Manner manner;

    /** Whose token goes along. */
    enum Who {
        ADMIN,
        EDITOR,
        VIEWER,
        NODE,
        /** A token that nobody ever had. */
        STRANGER,
        NOBODY
    }

    enum Manner {
        /** Well-formed HTTP: one answer, in time; the connection stays if the answer does not say otherwise. */
        ANSWER,
        /** An answer that goes on: what comes within a moment is looked at, then the client hangs up. */
        STREAM,
        /** HTTP that is broken but complete: an answer or the end of the connection, in time. */
        BROKEN,
        /** HTTP that never becomes complete: what comes within a moment is looked at, then the client hangs up. */
        UNFINISHED
    }

    /**
     * @param number its place in the run; with the run's seed, all that is needed to make it again
     * @param head the request line and the headers, without the token and the empty line at the end; of Latin-1 characters, each a byte
     * @param manner what may be expected of the server in return
     */
    Call(long number, Who who, String head, byte[] body, Manner manner) {
        this.number = number;
        this.who = who;
        this.head = head;
        this.body = body;
        this.manner = manner;
    }

    long number() {
        return number;
    }

    Who who() {
        return who;
    }

    String head() {
        return head;
    }

    Manner manner() {
        return manner;
    }

    String method() {
        return head.substring(0, Math.max(0, head.indexOf(' ')));
    }

    /** Path and query. */
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

    /** For people: enough to see what it is about, and to send it again by hand. */
    String describe() {
        String text = new String(body, StandardCharsets.UTF_8);
        return "as " + who + ", " + manner + "\n" + excerpt(head) + "\n\n" + excerpt(text) + " (" + body.length
                + " bytes)";
    }

    private static String excerpt(String text) {
        String shown = text.length() <= EXCERPT ? text : text.substring(0, EXCERPT) + " …";
        StringBuilder printable = new StringBuilder();
        shown.chars().forEach(c -> printable.append(c == '\n' || (c >= ' ' && c < 0x7f) ? (char) c : '·'));
        return printable.toString();
    }
}
