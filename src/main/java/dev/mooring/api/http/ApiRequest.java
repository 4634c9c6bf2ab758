package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.WriteResponse;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request with its user; sends exactly one response. Confined to its event loop. */
final class ApiRequest {
    private static final Logger LOG = LoggerFactory.getLogger(ApiRequest.class);
    static final String JSON = "application/json";
    static final long LINGER_MILLIS = 1000;
    private static final CharSequence JSON_VALUE = HttpHeaders.createOptimized(JSON);
    private static final CharSequence NO_CACHE = HttpHeaders.createOptimized("no-cache, private");
    private static final CharSequence NOSNIFF_NAME = HttpHeaders.createOptimized("x-content-type-options");
    private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");

    private final HttpServerRequest request;
    private final Context context;
    private QueryParameters query;
    private final User user;
    private final AccessLog access;
    private final AuditContext audit;
    private final SharedLimit unreadLimit;
    private final List<Runnable> endHandlers = new ArrayList<>();
    private Optional<Instant> moment = Optional.empty();
    private boolean hasEnded;
    private long reservedBytes;

    /** @param unreadLimit limits the bytes of responses that clients have not read yet */
    ApiRequest(
            HttpServerRequest request,
            Context context,
            QueryParameters query,
            User user,
            AccessLog access,
            AuditContext audit,
            SharedLimit unreadLimit) {
        this.request = request;
        this.context = context;
        this.query = query;
        this.user = user;
        this.access = access;
        this.audit = audit;
        this.unreadLimit = unreadLimit;
    }

    AuditContext audit() {
        return audit;
    }

    /** Records a response that other code sends. */
    void recordResponse(int code) {
        access.recordResponse(request, code);
        audit.recordCompleted(code);
    }

    /** Records a long-running response that other code sends. */
    void recordStreamingResponse(int code) {
        access.recordResponse(request, code);
        audit.recordStarted(code);
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

    QueryParameters query() {
        return query;
    }

    /** Replaces values of the query, such as times by their revisions. */
    void replaceParameters(Map<String, String> values) {
        query = query.with(values);
    }

    /** Sets the past time that the client asked for, to which ages in the response refer. */
    void setMoment(Optional<Instant> time) {
        moment = time;
    }

    /** Returns the past time that the client asked for; empty if it asked for a revision, or for now. */
    Optional<Instant> moment() {
        return moment;
    }

    User user() {
        return user;
    }

    Context context() {
        return context;
    }

    /**
     * Runs an action on the event loop when the response has ended or the connection is closed; immediately if it
     * already is.
     */
    void onEnd(Runnable then) {
        if (hasEnded || response().ended() || response().closed()) {
            then.run();
            return;
        }
        if (endHandlers.isEmpty()) {
            response().endHandler(v -> ended());
        }
        endHandlers.add(then);
    }

    private void ended() {
        hasEnded = true;
        List<Runnable> handlers = List.copyOf(endHandlers);
        endHandlers.clear();
        handlers.forEach(Runnable::run);
    }

    /** Returns an executor that runs tasks on this request's event loop. */
    Executor contextExecutor() {
        return task -> context.runOnContext(v -> task.run());
    }

    String header(CharSequence name) {
        String value = request.getHeader(name);
        return value == null ? "" : value;
    }

    void respond(WriteResponse answer) {
        for (String warning : answer.warnings()) {
            response().headers().add("Warning", "299 - " + quoted(warning));
        }
        respond(answer.code(), answer.json());
    }

    void respond(int code, byte[] json) {
        respond(code, JSON_VALUE, Buffer.buffer(json));
    }

    void respond(int code, CharSequence contentType, Buffer body) {
        if (!response().ended() && !response().closed() && reserve(body.length())) {
            setHeaders(response(), contentType).setStatusCode(code);
            // First, so that the log and the metrics have every response that a client has received.
            access.recordResponse(request, code);
            releaseAfter(response().end(body));
        }
        // Recorded even if the client has disconnected. A refusal by reserve is already recorded.
        audit.recordCompleted(code);
    }

    /**
     * Reserves bytes of a response until {@link #release}; small responses are exempt. If the client has too many
     * unread bytes, the request is answered with an error instead. A completed write cannot be refused: a client that
     * writes and never reads is disconnected once the responses of all users together reach the limit.
     *
     * @return whether the response may be sent
     */
    boolean reserve(long bytes) {
        if (bytes <= HttpLimits.SMALL_BODY_BYTES) {
            return true;
        }
        if (method().equals(HttpMethod.GET)) {
            Optional<Status> refusal = unreadLimit.acquire(user, bytes);
            if (refusal.isPresent()) {
                respond(refusal.get());
                return false;
            }
        } else if (!unreadLimit.acquireBeyondShare(user, bytes)) {
            request.connection().close();
            return false;
        }
        reservedBytes = bytes;
        return true;
    }

    void releaseAfter(Future<Void> sent) {
        if (reservedBytes > 0) {
            sent.onComplete(done -> release());
        }
    }

    /** Releases the reserved bytes: they were sent, or never will be. */
    void release() {
        if (reservedBytes > 0) {
            unreadLimit.release(user, reservedBytes);
            reservedBytes = 0;
        }
    }

    static HttpServerResponse setHeaders(HttpServerResponse response, CharSequence contentType) {
        response.headers()
                .set(HttpHeaders.CONTENT_TYPE, contentType)
                .set(HttpHeaders.CACHE_CONTROL, NO_CACHE)
                .set(NOSNIFF_NAME, NOSNIFF);
        return response;
    }

    void respond(Status status) {
        respond(request, status, access, audit);
    }

    static void respond(HttpServerRequest request, Status status, AccessLog access, AuditContext audit) {
        audit.recordCompleted(status);
        HttpServerResponse response = request.response();
        if (response.ended() || response.closed()) {
            return;
        }
        if (response.headWritten()) {
            // Too late for an error response: the client detects the failure by the incomplete response.
            request.connection().close();
            return;
        }
        if (status.details().retryAfterSeconds() > 0) {
            response.putHeader("Retry-After", Integer.toString(status.details().retryAfterSeconds()));
        }
        if (status.code() == 401) {
            response.putHeader("WWW-Authenticate", "Bearer");
        }
        access.recordResponse(request, status.code());
        setHeaders(response, JSON_VALUE).setStatusCode(status.code()).end(Buffer.buffer(status.toJson()));
    }

    /**
     * Responds to a client that still sends a large or slow body, and closes the connection shortly after, unless the
     * client does. Closing immediately could discard the response together with the unread bytes.
     */
    void respondAndClose(Status status) {
        if (request.version() != HttpVersion.HTTP_2) {
            response().putHeader(HttpHeaders.CONNECTION, "close");
            context.owner().setTimer(LINGER_MILLIS, id -> request.connection().close());
        }
        respond(status);
    }

    /**
     * Responds with the Status of a failure. Errors that the client did not cause are logged, and the client only gets
     * a generic message.
     */
    void fail(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusException refused) {
            respond(refused.status());
            return;
        }
        LOG.atError()
                .addKeyValue("method", request.method())
                .addKeyValue("path", request.path())
                .addKeyValue("user", user.name())
                .setCause(cause)
                .log("Failed to handle request");
        respond(Status.internalError());
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
