package dev.mooring.api;

import dev.mooring.api.container.ContainerRequests;
import dev.mooring.api.http.FrontDoor;
import dev.mooring.api.status.Status;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTPS server: HTTP/2 and HTTP/1.1 on one port. Resources are served by the {@link FrontDoor}, the few other paths by {@link #routes};
 * what a client does wrong is answered with a {@link Status}, and never ends the verticle. Runs on one event loop, and nothing in it
 * blocks; several instances share the port and the connections.
 */
public final class ApiVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(ApiVerticle.class);

    private final ApiParts parts;
    private final List<HttpServer> servers = new ArrayList<>();
    private FrontDoor door;

    public ApiVerticle(ApiParts parts) {
        this.parts = parts;
    }

    @Override
    public Future<?> start() {
        door = new FrontDoor(vertx, context, parts.core(), parts.certificate().names(), routes());
        List<Future<HttpServer>> listening = new ArrayList<>();
        listening.add(listen(secured(), parts.host(), parts.port()));
        parts.plain().ifPresent(plain -> listening.add(listen(limited(), plain.host(), plain.port())));
        return Future.all(listening);
    }

    private Future<HttpServer> listen(HttpServerOptions options, String host, BoundPort port) {
        HttpServer server = vertx.createHttpServer(options)
                .connectionHandler(this::admit)
                // Failed handshakes and broken connections are the clients' business.
                .exceptionHandler(cause -> LOG.debug("Connection failed before its first request", cause))
                .requestHandler(door);
        servers.add(server);
        return server.listen(port.number(), host).onSuccess(bound -> port.bound(bound.actualPort()));
    }

    @Override
    public Future<?> stop() {
        door.close();
        return Future.all(servers.stream()
                .map(server -> server.shutdown(Limits.DRAIN_SECONDS, TimeUnit.SECONDS))
                .toList());
    }

    private HttpServerOptions secured() {
        Buffer pem = Buffer.buffer(parts.certificate().pem());
        return limited()
                .setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(new PemKeyCertOptions().addKeyValue(pem).addCertValue(pem))
                .setSslHandshakeTimeout(Limits.HANDSHAKE_SECONDS)
                .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
    }

    private static HttpServerOptions limited() {
        return new HttpServerOptions()
                .setMaxHeaderSize(Limits.HEADER_BYTES)
                .setMaxInitialLineLength(Limits.REQUEST_LINE_BYTES)
                .setMaxWebSocketFrameSize(Limits.FRAME_BYTES)
                .setWebSocketSubProtocols(ContainerRequests.protocols())
                // A client that vanished while a log it follows is quiet would never be missed.
                .setTcpKeepAlive(true)
                // HTTP/2 is for TLS: a request without it that only says "Upgrade: h2c" would never be answered.
                .setHttp2ClearTextEnabled(false)
                .setInitialSettings(new Http2Settings()
                        .setMaxConcurrentStreams(Limits.STREAMS_PER_CONNECTION)
                        .setMaxHeaderListSize(Limits.HEADER_BYTES));
    }

    private void admit(HttpConnection connection) {
        connection.exceptionHandler(cause -> LOG.debug("Connection to {} failed", connection.remoteAddress(), cause));
        Runnable closed = () -> {
            if (door.closed(connection)) {
                parts.metrics().connectionClosed();
            }
        };
        door.opened(connection, closed);
        connection.closeHandler(v -> closed.run());
        if (parts.metrics().connectionOpened() > Limits.CONNECTIONS) {
            LOG.atWarn()
                    .addKeyValue("client", connection.remoteAddress())
                    .addKeyValue("limit", Limits.CONNECTIONS)
                    .log("Expected fewer connections at once, but one more came and was closed");
            connection.close();
        }
    }

    private Router routes() {
        Router router = Router.router(vertx);
        router.route().handler(ApiVerticle::addCommonHeaders);
        new HealthRoutes(parts.healthChecks(), request -> answer(request, Status.pathNotFound())).mount(router);
        router.get("/version").handler(request -> request.json(parts.version().toJson()));
        router.get("/metrics").handler(this::requireLeave).handler(this::metrics);

        router.errorHandler(400, request -> answer(request, Status.badRequest("the request could not be understood")));
        router.errorHandler(404, request -> answer(request, Status.pathNotFound()));
        router.errorHandler(405, request -> answer(request, Status.methodNotAllowed()));
        router.errorHandler(500, this::internalError);
        return router;
    }

    private void requireLeave(RoutingContext request) {
        door.refusal(request.request()).ifPresentOrElse(refusal -> answer(request, refusal), request::next);
    }

    private void metrics(RoutingContext request) {
        vertx.executeBlocking(parts.metrics()::scrape, false)
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

    private void answer(RoutingContext request, Status status) {
        door.answer(request.request(), status);
    }

    private void internalError(RoutingContext request) {
        LOG.atError()
                .addKeyValue("method", request.request().method())
                .addKeyValue("path", request.normalizedPath())
                .setCause(request.failure())
                .log("Expected to answer a request, but an error occurred");
        answer(request, Status.internalError());
    }
}
