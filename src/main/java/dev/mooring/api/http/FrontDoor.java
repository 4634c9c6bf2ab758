package dev.mooring.api.http;

import dev.mooring.api.ApiCore;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.Decision;
import dev.mooring.api.auth.User;
import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes every request of one event loop: refuses those that should not be here, asks who it is, and hands the rest on. Resources come first,
 * since nearly all requests are about them; what is neither resource nor document goes to {@code others}.
 */
public final class FrontDoor implements Handler<HttpServerRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(FrontDoor.class);

    private final Context context;
    private final AccessLog access;
    private final Guards guards;
    private final Callers callers;
    private final ResourceHandler resources;
    private final TokenHandler tokens;
    private final DocumentHandler documents;
    private final ChaosHandler chaos;
    private final Watches watches;
    private final Connections connections;
    private final ContainerHandler containers;
    private final Handler<HttpServerRequest> others;

    /**
     * @param ownNames what this server is called, in its certificate
     * @param others answers what is open to all, such as health
     */
    public FrontDoor(
            Vertx vertx, Context context, ApiCore core, Set<String> ownNames, Handler<HttpServerRequest> others) {
        this.context = context;
        this.access = core.access();
        this.guards = new Guards(ownNames);
        this.callers =
                new Callers(core.authenticator(), core.rateLimit(), core.spine().ledger());
        this.others = others;
        var ledger = core.spine().ledger();
        ReadHandler reads = new ReadHandler(vertx, ledger, core.spine().history(), core.heartbeats(), core.clock());
        this.connections = new Connections(vertx, core.limits().idleTimeout());
        this.watches = new Watches(vertx, core, Schedulers.io(), connections);
        Reception reception = new Reception(vertx, core);
        this.tokens = new TokenHandler(reception, core);
        this.documents = new DocumentHandler(vertx, core.discovery(), core.openApi());
        this.chaos = new ChaosHandler(reception, core);
        this.containers = new ContainerHandler(vertx, core, connections);
        this.resources = new ResourceHandler(reception, core, reads, watches, tokens, containers, callers);
    }

    /**
     * Keeps an eye on a new connection.
     *
     * @param ended is told when it has ended as a WebSocket, which its own handler is not told of
     */
    public void opened(HttpConnection connection, Runnable ended) {
        connections.opened(connection, ended);
    }

    /** Whether it was open until now. */
    public boolean closed(HttpConnection connection) {
        return connections.closed(connection);
    }

    @Override
    public void handle(HttpServerRequest request) {
        connections.used(request.connection());
        try {
            Optional<Status> refusal = guards.refusal(request);
            if (refusal.isPresent()) {
                answer(request, refusal.get());
                return;
            }
            String path = request.path();
            if (path == null) {
                answer(request, Status.badRequest("the request names no path"));
            } else if (path.startsWith("/api") || path.startsWith("/openapi")) {
                serve(request);
            } else {
                others.handle(request);
            }
        } catch (StatusException e) {
            answer(request, e.status());
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("method", request.method())
                    .addKeyValue("path", request.path())
                    .setCause(e)
                    .log("Expected to answer a request, but an error occurred");
            answer(request, Status.internalError());
        }
    }

    private void serve(HttpServerRequest request) {
        User user = callers.require(request);
        Exchange exchange = new Exchange(request, context, Query.of(request.query()), user, access);
        if (!resources.handle(exchange)
                && !tokens.review(exchange)
                && !chaos.handle(exchange)
                && !documents.handle(exchange)) {
            exchange.answer(Status.pathNotFound());
        }
    }

    /** Why a request for a path that is no resource is refused, if it is. */
    public Optional<Status> refusal(HttpServerRequest request) {
        try {
            User user = callers.require(request);
            Decision decision = Authorizer.decide(user, Attributes.path("get", request.path()));
            return decision instanceof Decision.Denied denied
                    ? Optional.of(Status.forbidden(denied.message()))
                    : Optional.empty();
        } catch (StatusException e) {
            return Optional.of(e.status());
        }
    }

    /** Answers with a Status. */
    public void answer(HttpServerRequest request, Status status) {
        Exchange.answer(request, status, access);
    }

    /** Ends what would not end by itself. */
    public void close() {
        watches.close();
        containers.close();
    }
}
