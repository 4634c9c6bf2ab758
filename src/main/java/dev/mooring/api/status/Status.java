package dev.mooring.api.status;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A Kubernetes {@code Status} that says why a request failed, or that it was done. kubectl prints "Error from server (REASON): MESSAGE".
 * Immutable.
 *
 * @param code of HTTP
 * @param reason a word for programs; empty for a success
 * @param message for people
 */
public record Status(int code, String reason, String message, Details details) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * What it is about.
     *
     * @param kind the resource, or the kind, as Kubernetes does in the place
     * @param retryAfterSeconds 0 if there is no sense in trying again
     */
    public record Details(
            String name, String group, String kind, String uid, List<Cause> causes, int retryAfterSeconds) {
        public static final Details NONE = new Details("", "", "", "", List.of(), 0);

        public Details {
            causes = List.copyOf(causes);
        }

        private ObjectNode toNode() {
            ObjectNode about = JsonNodeFactory.instance.objectNode();
            putUnlessEmpty(about, "name", name());
            putUnlessEmpty(about, "group", group());
            putUnlessEmpty(about, "kind", kind());
            putUnlessEmpty(about, "uid", uid());
            if (!causes().isEmpty()) {
                ArrayNode causes = about.putArray("causes");
                for (Cause cause : causes()) {
                    ObjectNode each = causes.addObject();
                    putUnlessEmpty(each, "reason", cause.reason());
                    putUnlessEmpty(each, "message", cause.message());
                    putUnlessEmpty(each, "field", cause.field());
                }
            }
            if (retryAfterSeconds() > 0) {
                about.put("retryAfterSeconds", retryAfterSeconds());
            }
            return about;
        }
    }

    /**
     * One of several reasons.
     *
     * @param field such as {@code spec.capacity}; may be empty
     */
    public record Cause(String reason, String message, String field) {}

    public Status(int code, String reason, String message) {
        this(code, reason, message, Details.NONE);
    }

    public static Status pathNotFound() {
        return new Status(404, "NotFound", "the server could not find the requested resource");
    }

    public static Status methodNotAllowed() {
        return new Status(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    public static Status unauthorized() {
        return new Status(401, "Unauthorized", "Unauthorized");
    }

    public static Status forbidden(String message) {
        return new Status(403, "Forbidden", message);
    }

    public static Status bodyTooLarge(long limit) {
        return new Status(
                413,
                "RequestEntityTooLarge",
                "Expected a request body of at most " + limit + " bytes, but it is larger");
    }

    public static Status badRequest(String message) {
        return new Status(400, "BadRequest", message);
    }

    public static Status unsupportedMediaType(String message) {
        return new Status(415, "UnsupportedMediaType", message);
    }

    public static Status tooManyRequests(String message, int retryAfterSeconds) {
        return new Status(429, "TooManyRequests", message, retry(retryAfterSeconds));
    }

    public static Status unavailable(String message, int retryAfterSeconds) {
        return new Status(503, "ServiceUnavailable", message, retry(retryAfterSeconds));
    }

    /** A revision that is no longer kept: the client lists again. */
    public static Status expired(String message) {
        return new Status(410, "Expired", message);
    }

    /** A revision that has not happened yet. Clients know the cause and read without a revision. */
    public static Status revisionTooLarge(long asked, long current) {
        List<Cause> causes = List.of(new Cause("ResourceVersionTooLarge", "Too large resource version", ""));
        return new Status(
                504,
                "Timeout",
                "Too large resource version: " + asked + ", current: " + current,
                new Details("", "", "", "", causes, 1));
    }

    /** Details stay in the log: they may name what the client has no business with. */
    public static Status internalError() {
        return new Status(500, "InternalError", "Internal error occurred: see the server's log");
    }

    private static Details retry(int seconds) {
        return new Details("", "", "", "", List.of(), seconds);
    }

    public boolean isSuccess() {
        return code < 300;
    }

    public ObjectNode toNode() {
        ObjectNode node = JsonNodeFactory.instance.objectNode();
        node.put("kind", "Status").put("apiVersion", "v1");
        node.putObject("metadata");
        node.put("status", isSuccess() ? "Success" : "Failure");
        putUnlessEmpty(node, "message", message);
        putUnlessEmpty(node, "reason", reason);
        if (!details.equals(Details.NONE)) {
            node.set("details", details.toNode());
        }
        node.put("code", code);
        return node;
    }

    public byte[] toJson() {
        try {
            return MAPPER.writeValueAsBytes(toNode());
        } catch (IOException e) {
            throw new UncheckedIOException("Expected to encode a Status, but it failed", e);
        }
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }
}
