package dev.mooring.runtime.docker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Json;
import dev.mooring.model.OneLine;
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

/**
 * Maps error responses and connection failures of the engine to exceptions. Keeps the engine's message, on one line.
 */
final class DockerErrors {
    private static final int LONGEST = 4096;

    /** Permanent errors: a retry with the same input fails again, whatever status an engine version uses for them. */
    private static final List<String> FINAL = List.of(
            "bind source path does not exist",
            "invalid mount config",
            "error gathering device information",
            "executable file not found",
            "invalid reference format");

    /** Messages of a broken connection; any other message means that the connection could not be established. */
    private static final List<String> LOST = List.of(
            "broken pipe", "connection reset", "failed to respond", "closed", "premature", "end of", "unexpected");

    private DockerErrors() {}

    static EngineException of(int status, String body) {
        String line = message(status, body);
        return new EngineException(kind(status, line), line);
    }

    /** Maps an error within a response that began with success. */
    static EngineException ofStream(String message) {
        String line = oneLine(message);
        String lower = line.toLowerCase(Locale.ROOT);
        Kind kind =
                lower.contains("manifest unknown") || lower.contains("not found") ? Kind.NOT_FOUND : kind(500, line);
        return new EngineException(kind, line);
    }

    static EngineException tooSlow(String where, DockerRequest call, Duration deadline) {
        return new EngineException(
                Kind.TOO_SLOW,
                "the Docker daemon at " + where + " did not respond to " + call.description() + " within "
                        + deadline.toMillis() / 1000.0 + " seconds");
    }

    /** Returns the exception for a client that was closed locally. */
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
        if (lower.contains("permission denied")) {
            return new EngineException(
                    Kind.UNREACHABLE,
                    "cannot connect to the Docker daemon at " + where
                            + ": permission denied. Add the user that runs Mooring to the group of the socket"
                            + " (`usermod -aG docker USER`, then log in again), or run Mooring as root",
                    why);
        }
        return new EngineException(
                Kind.UNREACHABLE,
                "cannot connect to the Docker daemon at " + where + ": " + reason + ". Is the docker daemon running?",
                why);
    }

    static String message(int status, String body) {
        String text = body;
        try {
            JsonNode message = Json.MAPPER.readTree(body).path("message");
            if (message.isTextual()) {
                text = message.asText();
            }
        } catch (IOException notJson) {
            // then the text itself is the message
        }
        String line = oneLine(text);
        return line.isEmpty() ? "the Docker daemon responded with status " + status + " and no message" : line;
    }

    static String oneLine(String text) {
        String line = OneLine.of(text).strip();
        return line.length() > LONGEST ? line.substring(0, LONGEST) + "…" : line;
    }

    private static Kind kind(int status, String line) {
        if (FINAL.stream().anyMatch(line::contains)) {
            return Kind.REFUSED;
        }
        if (line.startsWith("No such container")) {
            return Kind.NOT_FOUND; // also the container to join, which the engine reports as a bad parameter
        }
        return switch (status) {
            case 404 -> Kind.NOT_FOUND;
            case 409 -> Kind.CONFLICT;
            case 400, 401, 403, 405, 406, 501 -> Kind.REFUSED;
            default -> Kind.FAILED;
        };
    }

    /** Returns the message of the innermost cause, which the others only wrap. */
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
