package dev.mooring.volumedriver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Json;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves Docker's volume driver protocol (version 1) on a unix socket that only root can connect to. Requests block on
 * threads of their own; their number and size are limited.
 */
public final class VolumeDriverVerticle extends VerticleBase {
    static final String CONTENT_TYPE = "application/vnd.docker.plugins.v1.1+json";

    private static final Logger LOG = LoggerFactory.getLogger(VolumeDriverVerticle.class);
    private static final int MAX_BODY = 64 * 1024;
    private static final int MAX_REQUESTS = 64;
    private static final Duration LISTEN_RETRY = Duration.ofSeconds(5);
    private static final Duration STALE_INTERVAL = Duration.ofMinutes(1);

    private final VolumeDriver driver;
    private final Path path;
    private final DriverSocket socket;
    private WorkerExecutor threads;
    private HttpServer server;
    private int requests;

    /** @param path of the socket */
    public VolumeDriverVerticle(VolumeDriver driver, Path path) {
        this.driver = driver;
        this.path = path;
        this.socket = new DriverSocket(path);
    }

    @Override
    public Future<?> start() {
        threads = vertx.createSharedWorkerExecutor("volume-driver", MAX_REQUESTS);
        listen("");
        return Future.succeededFuture();
    }

    /** Listens; later if another server uses the socket, which is no failure of this one. */
    private void listen(String lastProblem) {
        server = vertx.createHttpServer(new HttpServerOptions().setHttp2ClearTextEnabled(false))
                .requestHandler(this::onRequest);
        threads.executeBlocking(socket::prepare)
                .compose(bound -> server.listen(SocketAddress.domainSocketAddress(bound.toString()))
                        .compose(listening -> threads.executeBlocking(() -> {
                            socket.publish(bound);
                            return null;
                        })))
                .onSuccess(published -> {
                    LOG.atInfo().addKeyValue("socket", path).log("Serving Docker's volume driver");
                    vertx.setPeriodic(1, STALE_INTERVAL.toMillis(), timer -> releaseStale());
                })
                .onFailure(cause -> {
                    String problem = String.valueOf(cause.getMessage());
                    if (!problem.equals(lastProblem)) {
                        LOG.atWarn()
                                .addKeyValue("socket", path)
                                .log("Failed to serve Docker's volume driver; retrying: {}", problem);
                    }
                    vertx.setTimer(LISTEN_RETRY.toMillis(), timer -> listen(problem));
                });
    }

    private void releaseStale() {
        threads.executeBlocking(() -> {
                    driver.releaseStale();
                    return null;
                })
                .onFailure(cause -> LOG.warn("Failed to compare mounts with the containers of the engine", cause));
    }

    @Override
    public Future<?> stop() {
        return threads.executeBlocking(() -> {
                    socket.remove();
                    return null;
                })
                .eventually(() -> server.close())
                .eventually(() -> threads.close());
    }

    private void onRequest(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.POST)) {
            respond(request, 405, error("Docker's plugin protocol uses POST"));
            return;
        }
        if (requests >= MAX_REQUESTS) {
            respond(request, 503, error("Mooring handles " + requests + " requests of Docker already; try again"));
            return;
        }
        Buffer body = Buffer.buffer();
        request.handler(part -> {
            if (body.length() + part.length() <= MAX_BODY) {
                body.appendBuffer(part);
            } else if (!request.response().ended()) {
                respond(request, 413, error("the request is larger than " + MAX_BODY + " bytes"));
            }
        });
        request.endHandler(end -> {
            if (!request.response().ended()) {
                handle(request, body);
            }
        });
    }

    private void handle(HttpServerRequest request, Buffer body) {
        requests++;
        threads.executeBlocking(() -> responseTo(request.path().substring(1), body.getBytes()), false)
                .onComplete(result -> {
                    requests--;
                    if (result.failed()) {
                        LOG.atError()
                                .setCause(result.cause())
                                .addKeyValue("method", request.path())
                                .log("Failed to handle request of Docker");
                        respond(request, 500, error("internal error of Mooring; its log has the details"));
                    } else {
                        // Docker reads the message of a failed request from its body, whatever the status is.
                        boolean failed = !result.result().path("Err").asText("").isEmpty();
                        respond(request, failed ? 500 : 200, result.result());
                    }
                });
    }

    private ObjectNode responseTo(String method, byte[] body) throws InterruptedException {
        try {
            JsonNode request = body.length == 0 ? JsonNodeFactory.instance.objectNode() : Json.MAPPER.readTree(body);
            return driver.handle(method, request);
        } catch (IOException e) {
            return error("the body of the request is not JSON");
        } catch (DriverException e) {
            LOG.atDebug().addKeyValue("method", method).log("Refused request of Docker: {}", e.getMessage());
            return error(e.getMessage());
        }
    }

    private static ObjectNode error(String message) {
        return JsonNodeFactory.instance.objectNode().put("Err", message);
    }

    private static void respond(HttpServerRequest request, int status, ObjectNode body) {
        if (request.response().closed()) {
            return;
        }
        request.response()
                .setStatusCode(status)
                .putHeader("Content-Type", CONTENT_TYPE)
                .end(body.toString());
    }
}
