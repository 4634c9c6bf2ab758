package dev.mooring.api.http;

import dev.mooring.api.GoText;
import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.auth.Attributes;
import dev.mooring.api.auth.Authorizer;
import dev.mooring.api.auth.User;
import dev.mooring.api.tls.HostNames;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles every request of one event loop: filters, authenticates and dispatches it. Resources are checked first, since
 * nearly all requests concern them; a path that is neither a resource nor a document goes to {@code others}.
 */
final class ApiRequestHandler implements Handler<HttpServerRequest> {
    /** Maximum number of watches that read the log concurrently. */
    private static final int MAX_LOG_READERS = 4;

    private static final Logger LOG = LoggerFactory.getLogger(ApiRequestHandler.class);

    private static final int UNAUTHORIZED = 401;

    private final Context context;
    private final AccessLog access;
    private final AuditContext.SharedAuditState sharedAudit;
    private final SharedLimit responseBytes;
    private final RequestFilters requestFilters;
    private final Authorizer authorizer;
    private final RequestAuthenticator requestAuthenticator;
    private final ResourceHandler resources;
    private final TokenHandler tokens;
    private final DocumentHandler documents;
    private final ChaosHandler chaos;
    private final WorldHandler worlds;
    private final BundleHandler bundles;
    private final ExplainHandler explain;
    private final HistoryHandler history;
    private final WatchManager watches;
    private final ConnectionTracker connections;
    private final ContainerHandler containers;
    private final Optional<UiHandler> ui;
    private final Handler<HttpServerRequest> others;

    /**
     * @param ownNames the server's names in its certificate
     * @param others handles paths without authentication, such as health
     */
    ApiRequestHandler(
            Vertx vertx,
            Context context,
            ApiCore core,
            AnonymousConnections anonymous,
            Set<String> ownNames,
            Handler<HttpServerRequest> others) {
        this.context = context;
        this.access = core.access();
        this.sharedAudit = new AuditContext.SharedAuditState(core.audit(), core.clock(), core.ids());
        this.responseBytes = core.sharedLimits().responseBytes();
        this.requestFilters = new RequestFilters(ownNames);
        var ledger = core.stateStore().ledger();
        this.authorizer = core.authorizer();
        this.requestAuthenticator =
                new RequestAuthenticator(core.authenticator(), core.rateLimit(), authorizer, ledger);
        this.others = others;
        HistoryAccess access = new HistoryAccess(core.stateStore().hub(), core.clock());
        ReadHandler reads = new ReadHandler(vertx, core, access);
        this.connections = new ConnectionTracker(vertx, core, anonymous);
        this.watches = new WatchManager(vertx, core, access, logScheduler(vertx), connections);
        RequestBodyReader reception = new RequestBodyReader(vertx, core);
        this.tokens = new TokenHandler(reception, core);
        this.documents = new DocumentHandler(vertx, core.discovery(), core.openApi());
        this.chaos = new ChaosHandler(reception, core);
        this.worlds = new WorldHandler(core, reads);
        this.bundles = new BundleHandler(core, reads);
        this.explain = new ExplainHandler(core, reads);
        this.history = new HistoryHandler(vertx, core, watches, requestAuthenticator);
        this.containers = new ContainerHandler(vertx, core, connections);
        this.ui = core.services().ui().map(page -> new UiHandler(vertx, page, authorizer, reception, tokens));
        this.resources = new ResourceHandler(reception, core, reads, watches, tokens, containers, requestAuthenticator);
    }

    /**
     * Returns a scheduler with a few threads for all watches that read the log, which bounds the memory for events read
     * from disk.
     */
    private static Scheduler logScheduler(Vertx vertx) {
        WorkerExecutor threads = vertx.createSharedWorkerExecutor("mooring-log-reads", MAX_LOG_READERS);
        return Schedulers.from(task -> threads.executeBlocking(Executors.callable(task), false));
    }

    /**
     * Tracks a new connection.
     *
     * @param ended called when it ends as a WebSocket, in which case its own close handler is not called
     */
    void connectionOpened(HttpConnection connection, Runnable ended) {
        connections.opened(connection, ended);
    }

    /** Stops tracking a connection and returns whether it was tracked. */
    boolean connectionClosed(HttpConnection connection) {
        return connections.closed(connection);
    }

    @Override
    public void handle(HttpServerRequest request) {
        connections.requestStarted(request.connection());
        AuditContext audit = new AuditContext(sharedAudit, request);
        try {
            Optional<Status> refusal = requestFilters.refusal(request);
            if (refusal.isPresent()) {
                respond(request, refusal.get(), audit);
                return;
            }
            String path = request.path();
            if (path == null) {
                respond(request, Status.badRequest("the request has no path"));
            } else if (path.startsWith("/api") || path.startsWith("/openapi")) {
                serve(request, audit);
            } else if (ui.isPresent() && UiHandler.isForPage(path, request.headers())) {
                ui.get().handle(anonymous(request, audit));
            } else {
                others.handle(request);
            }
        } catch (StatusException e) {
            respond(request, e.status(), audit);
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("method", request.method())
                    .addKeyValue("path", request.path())
                    .setCause(e)
                    .log("Failed to handle request");
            respond(request, Status.internalError(), audit);
        }
    }

    /** Authenticates a request and assigns its connection to the user. */
    private User authenticate(HttpServerRequest request, AuditContext audit) {
        User user = requestAuthenticator.authenticate(request);
        audit.setUser(user);
        requestAuthenticator.requireWithinRate(user);
        connections.authenticated(request.connection(), user).ifPresent(refusal -> {
            connections.closeAfterResponses(request.connection());
            throw new StatusException(refusal);
        });
        return user;
    }

    private void serve(HttpServerRequest request, AuditContext audit) {
        User user = authenticate(request, audit);
        ApiRequest apiRequest = new ApiRequest(
                request, context, QueryParameters.of(request.query()), user, access, audit, responseBytes);
        if (!resources.handle(apiRequest)
                && !tokens.review(apiRequest)
                && !chaos.handle(apiRequest)
                && ui.filter(page -> page.issueCode(apiRequest)).isEmpty()
                && !worlds.handle(apiRequest)
                && !bundles.handle(apiRequest)
                && !explain.handle(apiRequest)
                && !history.handle(apiRequest)
                && !documents.handle(apiRequest)) {
            apiRequest.respond(Status.pathNotFound());
        }
    }

    /** Returns the request of a client without a token. */
    private ApiRequest anonymous(HttpServerRequest request, AuditContext audit) {
        return new ApiRequest(
                request,
                context,
                QueryParameters.of(request.query()),
                User.anonymous(request.remoteAddress().hostAddress()),
                access,
                audit,
                ui.orElseThrow().unreadBytes());
    }

    /** Returns whether the user may access a non-resource path; if not, sends the response. */
    boolean isAllowed(HttpServerRequest request) {
        AuditContext audit = new AuditContext(sharedAudit, request);
        try {
            User user = authenticate(request, audit);
            if (authorizer.decide(user, Attributes.nonResource("get", request.path()))
                    instanceof Authorizer.AuthorizationDecision.Denied denied) {
                throw new StatusException(Status.forbidden(denied.message()));
            }
            return true;
        } catch (StatusException e) {
            respond(request, e.status(), audit);
            return false;
        }
    }

    /** Answers with a Status. */
    void respond(HttpServerRequest request, Status status) {
        respond(request, status, new AuditContext(sharedAudit, request));
    }

    private void respond(HttpServerRequest request, Status status, AuditContext audit) {
        ApiRequest.respond(request, status, access, audit);
        if (status.code() == UNAUTHORIZED && connections.failedTooOften(request.connection())) {
            connections.closeAfterResponses(request.connection());
        }
    }

    /** Ends all watches and streams, which would not end by themselves. */
    void close() {
        watches.close();
        containers.close();
    }

    /**
     * Refuses requests that a foreign web page makes a browser send. A page that resolves its own name to 127.0.0.1
     * (DNS rebinding) can reach this server, but the browser sends the real name ({@code Host}) and page
     * ({@code Origin}). Stateless.
     */
    private static final class RequestFilters {
        private static final Pattern DURATION =
                Pattern.compile("[-+]?(?:0|(?:(?:\\d+\\.?\\d*+|\\.\\d++)(?:ns|us|µs|μs|ms|s|m|h))++)");

        private final Set<String> ownNames;

        RequestFilters(Set<String> ownNames) {
            this.ownNames = ownNames;
        }

        /** Returns the error for a refused request; empty if it is accepted. */
        Optional<Status> refusal(HttpServerRequest request) {
            HostAndPort authority = request.authority();
            if (authority == null || !ownNames.contains(HostNames.normalize(authority.host()))) {
                String named = authority == null ? "nothing" : '"' + authority.host() + '"';
                return Optional.of(
                        Status.forbidden("Host header must be a name of this server's certificate, got " + named));
            }
            String origin = request.getHeader("Origin");
            if (origin != null && !isOwn(origin)) {
                return Optional.of(
                        Status.forbidden("Cross-origin requests are not allowed, got Origin \"" + origin + "\""));
            }
            return timeoutRefusal(request.query());
        }

        /** Refuses a timeout that is not a duration of Go; one that is has no effect. */
        private static Optional<Status> timeoutRefusal(String query) {
            if (query == null || !query.contains("timeout=")) {
                return Optional.empty();
            }
            String timeout = QueryParameters.of(query).text("timeout");
            return timeout.isEmpty() || DURATION.matcher(timeout).matches()
                    ? Optional.empty()
                    : Optional.of(
                            Status.badRequest("invalid timeout specified in the request URL - time: invalid duration "
                                    + GoText.quote(timeout)));
        }

        private boolean isOwn(String origin) {
            try {
                String host = new URI(origin).getHost();
                return host != null && ownNames.contains(HostNames.normalize(host));
            } catch (URISyntaxException e) {
                return false;
            }
        }
    }
}
