package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.runtime.EngineException;
import dev.mooring.runtime.EngineException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** What an engine's refusals and silences mean. The engine's own words are kept, on one line. */
final class Failures {
    private static final int LONGEST = 4096;

    /** Of these another attempt with the same input can only fail again, whatever status an engine's release gives them. */
    private static final List<String> FINAL = List.of(
            "bind source path does not exist",
            "invalid mount config",
            "error gathering device information",
            "executable file not found",
            "invalid reference format");

    /** How a connection that was there says that it is no more; anything else is one that could not be made. */
    private static final List<String> LOST = List.of(
            "broken pipe", "connection reset", "failed to respond", "closed", "premature", "end of", "unexpected");

    private Failures() {}

    static EngineException of(int status, String body) {
        String words = words(status, body);
        return new EngineException(kind(status, words), words);
    }

    /** Of an error that came within an answer that had begun well. */
    static EngineException late(String message) {
        String words = oneLine(message);
        String lower = words.toLowerCase(Locale.ROOT);
        Kind kind =
                lower.contains("manifest unknown") || lower.contains("not found") ? Kind.NOT_FOUND : kind(500, words);
        return new EngineException(kind, words);
    }

    static EngineException tooSlow(String where, Call call, Duration deadline) {
        return new EngineException(
                Kind.TOO_SLOW,
                "the Docker daemon at " + where + " did not answer " + call.words() + " within "
                        + deadline.toMillis() / 1000.0 + " seconds");
    }

    /** By us. */
    static EngineException closed(String where) {
        return new EngineException(Kind.UNREACHABLE, "the connection to the Docker daemon at " + where + " was closed");
    }

    static EngineException unreachable(String where, Throwable why) {
        String reason = reason(why);
        String lower = reason.toLowerCase(Locale.ROOT);
        if (LOST.stream().anyMatch(lower::contains)) {
            return new EngineException(
                    Kind.UNREACHABLE, "the connection to the Docker daemon at " + where + " was lost", why);
        }
        return new EngineException(
                Kind.UNREACHABLE,
                "cannot connect to the Docker daemon at " + where + ": " + reason + ". Is the docker daemon running?",
                why);
    }

    static String words(int status, String body) {
        String text = body;
        try {
            JsonNode message = Json.tree(body).path("message");
            if (message.isTextual()) {
                text = message.asText();
            }
        } catch (IOException notJson) {
            // then the text is all that there is
        }
        String words = oneLine(text);
        return words.isEmpty() ? "the Docker daemon answered with status " + status + " and no words" : words;
    }

    static String oneLine(String text) {
        String words = String.join(
                " ",
                text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList());
        return words.length() > LONGEST ? words.substring(0, LONGEST) + "…" : words;
    }

    private static Kind kind(int status, String words) {
        if (FINAL.stream().anyMatch(words::contains)) {
            return Kind.REFUSED;
        }
        if (words.startsWith("No such container")) {
            return Kind.NOT_FOUND; // also the one to be joined, which the engine takes for a bad parameter
        }
        return switch (status) {
            case 404 -> Kind.NOT_FOUND;
            case 409 -> Kind.CONFLICT;
            case 400, 401, 403, 405, 406, 501 -> Kind.REFUSED;
            default -> Kind.FAILED;
        };
    }

    /** Of the innermost cause: the outer ones only wrap it. */
    private static String reason(Throwable why) {
        Throwable inner = why;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        if (inner instanceof UnknownHostException) {
            return "no such host";
        }
        if (inner instanceof ClosedChannelException || inner instanceof EOFException) {
            return "closed";
        }
        String message = inner.getMessage() == null ? inner.getClass().getSimpleName() : oneLine(inner.getMessage());
        return inner instanceof SSLException ? "TLS: " + message : message;
    }
}
