package dev.mooring.api;

import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** A Kubernetes {@code Status} that says why a request failed. kubectl prints "Error from server (REASON): MESSAGE". */
record Status(int code, String reason, String message) {
    static Status pathNotFound() {
        return new Status(404, "NotFound", "the server could not find the requested resource");
    }

    static Status methodNotAllowed() {
        return new Status(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    static Status unauthorized() {
        return new Status(401, "Unauthorized", "Unauthorized");
    }

    static Status forbidden(String message) {
        return new Status(403, "Forbidden", message);
    }

    static Status bodyTooLarge(long limit) {
        return new Status(
                413,
                "RequestEntityTooLarge",
                "Expected a request body of at most " + limit + " bytes, but it is larger");
    }

    static Status badRequest(String message) {
        return new Status(400, "BadRequest", message);
    }

    /** Details stay in the log: they may name what the client has no business with. */
    static Status internalError() {
        return new Status(500, "InternalError", "Internal error occurred: see the server's log");
    }

    String toJson() {
        return new JsonObject()
                .put("kind", "Status")
                .put("apiVersion", "v1")
                .put("metadata", new JsonObject())
                .put("status", "Failure")
                .put("message", message)
                .put("reason", reason)
                .put("details", new JsonObject())
                .put("code", code)
                .encode();
    }

    void send(RoutingContext request) {
        request.response()
                .setStatusCode(code)
                .putHeader("Content-Type", "application/json")
                .end(toJson());
    }
}
