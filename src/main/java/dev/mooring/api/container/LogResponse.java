package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.api.container.ContainerAccess.ContainerAccessSession;
import dev.mooring.api.container.ContainerAccess.OutputSink;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.ServerWebSocket;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Streams a log into a response at the client's speed, until the log ends, the client disconnects or the byte limit is
 * reached. If the stream breaks, the response is aborted instead of ended. Confined to the event loop of its request,
 * except for {@link #output}.
 */
final class LogResponse implements ContainerRequests.LongRunningRequest, OutputSink {
    private static final String BINARY = "binary.k8s.io";
    private static final String BASE64 = "base64.binary.k8s.io";

    /** The WebSocket protocols of logs. */
    static final List<String> PROTOCOLS = List.of(BINARY, BASE64);

    private final ContainerRequests.ContainerStreamRequest streamRequest;
    private final LogOutput to;
    private final LogOptions options;
    private final Consumer<ContainerRequests.LongRunningRequest> endHandler;
    private final OutputBuffer outputBuffer;

    /** Bytes that may still be sent; accessed only by the current output call. */
    private long remainingBytes;

    private ContainerAccessSession session;
    private boolean responseStarted;
    private boolean reachedLimit;
    private boolean finished;

    LogResponse(
            ContainerRequests.ContainerStreamRequest streamRequest,
            LogOptions options,
            Consumer<ContainerRequests.LongRunningRequest> ended) {
        this.streamRequest = streamRequest;
        this.to = LogOutput.of(streamRequest.request(), this::end);
        this.options = options;
        this.endHandler = ended;
        this.remainingBytes = options.limitBytes().orElse(Long.MAX_VALUE);
        this.outputBuffer = new OutputBuffer(streamRequest.context(), (source, bytes) -> to.write(bytes));
    }

    /** Responds with an empty log. */
    static void respondEmpty(ContainerRequests.ContainerStreamRequest streamRequest) {
        HttpServerResponse response = streamRequest.request().response();
        head(response).end();
        streamRequest.responseStarted(200);
        streamRequest.responseEnded();
    }

    void start(ContainerAccess access, ContainerAccess.ContainerRef container) {
        access.logs(container, options.query(), this)
                .whenComplete((opened, failure) -> streamRequest.context().runOnContext(v -> {
                    if (failure == null) {
                        opened(opened);
                    } else {
                        refused(ContainerAccessFailures.toStatus(failure, notFound(container)));
                    }
                }));
    }

    private static Status notFound(ContainerAccess.ContainerRef container) {
        return Status.badRequest("unable to retrieve container logs for " + container.id());
    }

    private void opened(ContainerAccessSession opened) {
        session = opened;
        if (finished) {
            session.close();
            return;
        }
        to.open().onSuccess(this::started).onFailure(failure -> {
            end();
            streamRequest.fail(failure);
        });
    }

    private void started(int code) {
        responseStarted = true;
        streamRequest.responseStarted(code);
        if (finished) {
            to.abort();
            streamRequest.responseEnded();
            return;
        }
        outputBuffer.open();
        if (reachedLimit) {
            finish();
            return;
        }
        session.exitCode()
                .whenComplete((exit, failure) -> streamRequest.context().runOnContext(v -> {
                    if (failure == null) {
                        finish();
                    } else {
                        abort();
                    }
                }));
    }

    private void refused(Status status) {
        if (!finished) {
            end();
            streamRequest.respond(status);
        }
    }

    @Override
    public CompletionStage<Void> output(OutputSource source, byte[] bytes) {
        if (!options.sources().contains(source)) {
            return CompletableFuture.completedStage(null);
        }
        if (bytes.length < remainingBytes) {
            remainingBytes -= bytes.length;
            return outputBuffer.output(source, bytes);
        }
        byte[] rest = Arrays.copyOf(bytes, (int) remainingBytes);
        remainingBytes = 0;
        outputBuffer.output(source, rest);
        streamRequest.context().runOnContext(v -> limitReached());
        return CompletableFuture.failedStage(new IOException("byte limit reached"));
    }

    /** Ends the response at the byte limit. Output may arrive before the session is open. */
    private void limitReached() {
        reachedLimit = true;
        if (responseStarted) {
            finish();
        }
    }

    @Override
    public void tick() {
        if (!streamRequest.isAllowed()) {
            abort();
        }
    }

    @Override
    public void shutDown() {
        finish();
    }

    private void finish() {
        if (!finished) {
            end();
            to.end();
        }
    }

    private void abort() {
        if (!finished) {
            end();
            to.abort();
        }
    }

    private void end() {
        if (finished) {
            return;
        }
        finished = true;
        outputBuffer.close();
        if (session != null) {
            session.close();
        }
        if (responseStarted) {
            streamRequest.responseEnded();
        }
        endHandler.accept(this);
    }

    private static HttpServerResponse head(HttpServerResponse response) {
        response.headers()
                .set(HttpHeaders.CONTENT_TYPE, "text/plain")
                .set(HttpHeaders.CACHE_CONTROL, "no-cache, private")
                .set("x-content-type-options", "nosniff");
        return response.setStatusCode(200);
    }

    /** The destination of a log: the body of the response or, if the client asked for it, messages of a WebSocket. */
    private interface LogOutput {
        /** Starts the response and returns its code. */
        Future<Integer> open();

        Future<Void> write(Buffer bytes);

        void end();

        /** Ends the response so that the client detects that it is incomplete. */
        void abort();

        /** @param closed called when the client has disconnected */
        static LogOutput of(HttpServerRequest request, Runnable closed) {
            String upgrade = request.getHeader(HttpHeaders.UPGRADE);
            return "websocket".equalsIgnoreCase(upgrade)
                    ? new SocketLog(request, closed)
                    : new BodyLog(request, closed);
        }
    }

    private static final class BodyLog implements LogOutput {
        private final HttpServerResponse response;

        private BodyLog(HttpServerRequest request, Runnable closed) {
            this.response = request.response();
            response.closeHandler(v -> closed.run());
            response.exceptionHandler(e -> closed.run());
        }

        @Override
        public Future<Integer> open() {
            head(response).setChunked(true);
            response.writeHead();
            return Future.succeededFuture(200);
        }

        @Override
        public Future<Void> write(Buffer bytes) {
            return response.write(bytes);
        }

        @Override
        public void end() {
            response.end();
        }

        @Override
        public void abort() {
            response.reset();
        }
    }

    /** Sends binary messages, or text in base64 if the client asked for it. */
    private static final class SocketLog implements LogOutput {
        private static final short BROKEN = 1011;

        private final HttpServerRequest request;
        private final Runnable closed;
        private final boolean base64;
        private ServerWebSocket socket;

        private SocketLog(HttpServerRequest request, Runnable closed) {
            this.request = request;
            this.closed = closed;
            String header = request.getHeader("Sec-WebSocket-Protocol");
            Optional<String> chosen = header == null
                    ? Optional.of(BINARY)
                    : Arrays.stream(header.split(",", -1))
                            .map(String::trim)
                            .filter(PROTOCOLS::contains)
                            .findFirst();
            this.base64 = chosen.filter(BASE64::equals).isPresent();
            if (chosen.isEmpty()) {
                throw new StatusException(Status.badRequest("unable to upgrade connection: the client offers " + header
                        + "; use one of " + String.join(", ", PROTOCOLS)));
            }
            request.pause();
        }

        @Override
        public Future<Integer> open() {
            return request.toWebSocket().map(opened -> {
                socket = opened;
                socket.closeHandler(v -> closed.run());
                socket.exceptionHandler(e -> closed.run());
                // Tells the client that it is connected, as kube-apiserver does.
                write(Buffer.buffer());
                return 101;
            });
        }

        @Override
        public Future<Void> write(Buffer bytes) {
            return base64
                    ? socket.writeTextMessage(Base64.getEncoder().encodeToString(bytes.getBytes()))
                    : socket.writeBinaryMessage(bytes);
        }

        @Override
        public void end() {
            if (socket != null) {
                socket.close();
            }
        }

        @Override
        public void abort() {
            if (socket != null) {
                socket.close(BROKEN, "log is incomplete");
            }
        }
    }
}
