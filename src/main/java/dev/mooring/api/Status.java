package dev.mooring.api;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A Kubernetes {@code Status}: the error, or success, of a request. kubectl prints "Error from server (REASON):
 * MESSAGE". Immutable.
 *
 * @param code HTTP status
 * @param reason machine-readable; empty for a success
 * @param message for users
 */
public record Status(int code, String reason, String message, Details details) {
    /**
     * The object concerned.
     *
     * @param kind the resource or the kind, whichever Kubernetes uses for this error
     * @param retryAfterSeconds 0 if a retry is pointless
     */
    public record Details(
            String name, String group, String kind, String uid, List<StatusCause> causes, int retryAfterSeconds) {
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
                for (StatusCause cause : causes()) {
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
     * One of several causes.
     *
     * @param field such as {@code spec.capacity}; may be empty
     */
    public record StatusCause(String reason, String message, String field) {}

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
        return new Status(413, "RequestEntityTooLarge", "Request body is larger than the limit of " + limit + " bytes");
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

    /** Returns the error for a revision that is no longer available; the client lists again. */
    public static Status expired(String message) {
        return new Status(410, "Expired", message);
    }

    /** Returns the error for a future revision. Clients recognize the cause and read without a revision. */
    public static Status revisionTooLarge(long asked, long current) {
        List<StatusCause> causes =
                List.of(new StatusCause("ResourceVersionTooLarge", "Too large resource version", ""));
        return new Status(
                504,
                "Timeout",
                "Too large resource version: " + asked + ", current: " + current,
                new Details("", "", "", "", causes, 1));
    }

    /** Returns a generic error. Details are only logged, because they may be confidential. */
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
        // Always present: kubectl debug reads it without a check.
        node.set("details", details.toNode());
        node.put("code", code);
        return node;
    }

    public byte[] toJson() {
        try {
            return Json.MAPPER.writeValueAsBytes(toNode());
        } catch (IOException e) {
            throw new UncheckedIOException("Failed to encode Status", e);
        }
    }

    private static void putUnlessEmpty(ObjectNode node, String field, String value) {
        if (!value.isEmpty()) {
            node.put(field, value);
        }
    }
}
