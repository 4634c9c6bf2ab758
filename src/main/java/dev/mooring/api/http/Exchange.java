package dev.mooring.api.http;

import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Answer;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One request, who sent it, and how it is answered: once. For its event loop only. */
final class Exchange {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    static final String JSON = "application/json";
    private static final long LINGER_MILLIS = 1000;
    private static final CharSequence JSON_VALUE = HttpHeaders.createOptimized(JSON);
    private static final CharSequence NO_CACHE = HttpHeaders.createOptimized("no-cache, private");
    private static final CharSequence NOSNIFF_NAME = HttpHeaders.createOptimized("x-content-type-options");
    private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");

    private final HttpServerRequest request;
    private final Context context;
    private final Query query;
    private final User user;
    private final AccessLog access;

    Exchange(HttpServerRequest request, Context context, Query query, User user, AccessLog access) {
        this.request = request;
        this.context = context;
        this.query = query;
        this.user = user;
        this.access = access;
    }

    AccessLog access() {
        return access;
    }

    HttpServerRequest request() {
        return request;
    }

    HttpServerResponse response() {
        return request.response();
    }

    HttpMethod method() {
        return request.method();
    }

    Query query() {
        return query;
    }

    User user() {
        return user;
    }

    Context context() {
        return context;
    }

    /** Leads back to this request's event loop. */
    Executor back() {
        return task -> context.runOnContext(v -> task.run());
    }

    String header(CharSequence name) {
        String value = request.getHeader(name);
        return value == null ? "" : value;
    }

    void answer(Answer answer) {
        for (String warning : answer.warnings()) {
            response().headers().add("Warning", "299 - " + quoted(warning));
        }
        answer(answer.code(), answer.json());
    }

    void answer(int code, byte[] json) {
        answer(code, JSON_VALUE, Buffer.buffer(json));
    }

    void answer(int code, CharSequence contentType, Buffer body) {
        if (response().ended() || response().closed()) {
            return;
        }
        head(response(), contentType).setStatusCode(code);
        response().end(body);
        access.answered(request, code);
    }

    static HttpServerResponse head(HttpServerResponse response, CharSequence contentType) {
        response.headers()
                .set(HttpHeaders.CONTENT_TYPE, contentType)
                .set(HttpHeaders.CACHE_CONTROL, NO_CACHE)
                .set(NOSNIFF_NAME, NOSNIFF);
        return response;
    }

    void answer(Status status) {
        answer(request, status, access);
    }

    static void answer(HttpServerRequest request, Status status, AccessLog access) {
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        if (response.headWritten()) {
            // Too late to say it: the client learns from an answer without an end that something went wrong.
            request.connection().close();
            return;
        }
        if (status.details().retryAfterSeconds() > 0) {
            response.putHeader("Retry-After", Integer.toString(status.details().retryAfterSeconds()));
        }
        if (status.code() == 401) {
            response.putHeader("WWW-Authenticate", "Bearer");
        }
        head(response, JSON_VALUE).setStatusCode(status.code()).end(Buffer.buffer(status.toJson()));
        access.answered(request, status.code());
    }

    /**
     * Answers a client that still has much to send, or sends it very slowly. A moment later the connection is closed, if the client has not
     * done it by then: at once, the answer might be lost with what was not read.
     */
    void answerAndHangUp(Status status) {
        if (request.version() != HttpVersion.HTTP_2) {
            response().putHeader(HttpHeaders.CONNECTION, "close");
            context.owner().setTimer(LINGER_MILLIS, id -> request.connection().close());
        }
        answer(status);
    }

    /** Whatever went wrong. What is not the client's doing goes to the log, and only there. */
    void fail(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusException refused) {
            answer(refused.status());
            return;
        }
        LOG.atError()
                .addKeyValue("method", request.method())
                .addKeyValue("path", request.path())
                .addKeyValue("user", user.name())
                .setCause(cause)
                .log("Expected to answer a request, but an error occurred");
        answer(Status.internalError());
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\');
            }
            quoted.append(c < ' ' || c == 0x7f ? ' ' : c > 0x7e ? '?' : c);
        }
        return quoted.append('"').toString();
    }
}
