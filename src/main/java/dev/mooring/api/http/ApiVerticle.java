package dev.mooring.api.http;

import dev.mooring.api.Status;
import dev.mooring.api.auth.ServiceAccountTokens;
import dev.mooring.api.container.ContainerRequests;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTPS server: HTTP/2 and HTTP/1.1 on one port. The {@link ApiRequestHandler} serves resources, {@link #routes}
 * the few other paths. Client errors are answered with a {@link Status} and never stop the verticle. Runs on one event
 * loop and never blocks; several instances share the port and the connections.
 */
public final class ApiVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(ApiVerticle.class);

    private final ApiContext apiContext;
    private final List<HttpServer> servers = new ArrayList<>();
    private ApiRequestHandler requestHandler;

    public ApiVerticle(ApiContext apiContext) {
        this.apiContext = apiContext;
    }

    @Override
    public Future<?> start() {
        AnonymousConnections anonymous = AnonymousConnections.of(vertx);
        anonymous.setLimits(apiContext.core().limits());
        apiContext.metrics().observe(anonymous);
        requestHandler = new ApiRequestHandler(
                vertx,
                context,
                apiContext.core(),
                anonymous,
                apiContext.certificate().names(),
                routes());
        List<Future<HttpServer>> listening = new ArrayList<>();
        listening.add(listen(tlsOptions(), apiContext.host(), apiContext.port()));
        apiContext.plaintext().ifPresent(plain -> listening.add(listen(serverOptions(), plain.host(), plain.port())));
        return Future.all(listening);
    }

    private Future<HttpServer> listen(HttpServerOptions options, String host, ApiContext.BoundPort port) {
        HttpServer server = vertx.createHttpServer(options)
                .connectionHandler(this::onConnection)
                // Failed handshakes and broken connections are client errors.
                .exceptionHandler(cause -> LOG.debug("Connection failed before its first request", cause))
                .invalidRequestHandler(this::refuseInvalid)
                .requestHandler(requestHandler);
        servers.add(server);
        return server.listen(port.number(), host).onSuccess(bound -> port.bound(bound.actualPort()));
    }

    /** Answers a request whose head cannot be read, after which the connection cannot be used any more. */
    private void refuseInvalid(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        Status status;
        if (cause instanceof TooLongHttpLineException) {
            status = new Status(
                    414,
                    "RequestURITooLong",
                    "Request line is longer than the limit of " + HttpLimits.REQUEST_LINE_BYTES + " bytes");
        } else if (cause instanceof TooLongHttpHeaderException) {
            status = new Status(
                    431,
                    "RequestHeaderFieldsTooLarge",
                    "Request headers are larger than the limit of " + HttpLimits.HEADER_BYTES + " bytes");
        } else {
            status = Status.badRequest("the request could not be understood");
        }
        requestHandler.respond(request, status);
        // Closing immediately could discard the response together with the unread bytes.
        vertx.setTimer(ApiRequest.LINGER_MILLIS, id -> request.connection().close());
    }

    @Override
    public Future<?> stop() {
        requestHandler.close();
        return Future.all(servers.stream()
                .map(server -> server.shutdown(HttpLimits.DRAIN_SECONDS, TimeUnit.SECONDS))
                .toList());
    }

    private HttpServerOptions tlsOptions() {
        Buffer pem = Buffer.buffer(apiContext.certificate().pem());
        HttpServerOptions options = serverOptions();
        HttpLimits.CIPHER_SUITES.forEach(options::addEnabledCipherSuite);
        return options.setEnabledSecureTransportProtocols(HttpLimits.TLS_VERSIONS)
                .setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(new PemKeyCertOptions().addKeyValue(pem).addCertValue(pem))
                .setSslHandshakeTimeout(HttpLimits.HANDSHAKE_SECONDS)
                .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
    }

    private static HttpServerOptions serverOptions() {
        return new HttpServerOptions()
                .setMaxHeaderSize(HttpLimits.HEADER_BYTES)
                .setMaxInitialLineLength(HttpLimits.REQUEST_LINE_BYTES)
                .setMaxWebSocketFrameSize(HttpLimits.FRAME_BYTES)
                .setWebSocketSubProtocols(ContainerRequests.protocols())
                // Detects a client that vanished while it follows an idle log.
                .setTcpKeepAlive(true)
                // HTTP/2 requires TLS here: a plaintext request with "Upgrade: h2c" would never get a response.
                .setHttp2ClearTextEnabled(false)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(HttpLimits.STREAMS_PER_CONNECTION)
                        .setMaxHeaderListSize(HttpLimits.HEADER_BYTES));
    }

    private void onConnection(HttpConnection connection) {
        connection.exceptionHandler(cause -> LOG.debug("Connection to {} failed", connection.remoteAddress(), cause));
        Runnable closed = () -> {
            if (requestHandler.connectionClosed(connection)) {
                apiContext.metrics().connectionClosed();
            }
        };
        requestHandler.connectionOpened(connection, closed);
        connection.closeHandler(v -> closed.run());
        apiContext.metrics().connectionOpened();
    }

    private Router routes() {
        Router router = Router.router(vertx);
        router.route().handler(ApiVerticle::addCommonHeaders);
        new HealthRoutes(apiContext.healthChecks(), request -> respond(request, Status.pathNotFound())).mount(router);
        router.get("/version")
                .handler(request -> request.json(apiContext.version().toJson()));
        router.get("/.well-known/openid-configuration")
                .handler(this::requireAllowed)
                .handler(request -> request.response()
                        .putHeader("Content-Type", ApiRequest.JSON)
                        .end(ServiceAccountTokens.openIdConfiguration().toString()));
        router.get("/openid/v1/jwks")
                .handler(this::requireAllowed)
                .handler(request -> request.response()
                        .putHeader("Content-Type", "application/jwk-set+json")
                        .end(apiContext.core().accountTokens().keySet().toString()));
        router.get("/metrics").handler(this::requireAllowed).handler(this::metrics);

        router.errorHandler(400, request -> respond(request, Status.badRequest("the request could not be understood")));
        router.errorHandler(404, request -> respond(request, Status.pathNotFound()));
        router.errorHandler(405, request -> respond(request, Status.methodNotAllowed()));
        router.errorHandler(500, this::internalError);
        return router;
    }

    private void requireAllowed(RoutingContext request) {
        if (requestHandler.isAllowed(request.request())) {
            request.next();
        }
    }

    private void metrics(RoutingContext request) {
        vertx.executeBlocking(apiContext.metrics()::scrape, false)
                .onSuccess(text -> request.response()
                        .putHeader("Content-Type", ApiMetrics.TEXT_FORMAT)
                        .end(text))
                .onFailure(request::fail);
    }

    private static void addCommonHeaders(RoutingContext request) {
        request.response()
                .putHeader("Cache-Control", "no-cache, private")
                .putHeader("X-Content-Type-Options", "nosniff");
        request.next();
    }

    private void respond(RoutingContext request, Status status) {
        requestHandler.respond(request.request(), status);
    }

    private void internalError(RoutingContext request) {
        LOG.atError()
                .addKeyValue("method", request.request().method())
                .addKeyValue("path", request.normalizedPath())
                .setCause(request.failure())
                .log("Failed to handle request");
        respond(request, Status.internalError());
    }
}
