package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.container.ContainerAccess.ContainerAccessSession;
import dev.mooring.api.container.ContainerAccess.OutputSink;
import dev.mooring.api.container.ContainerAccess.OutputSource;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Streams a log into a response at the client's speed, until the log ends, the client disconnects or the byte limit is
 * reached. If the stream breaks, the response is aborted instead of ended. Confined to the event loop of its request,
 * except for {@link #output}.
 */
final class LogResponse implements ContainerRequests.LongRunningRequest, OutputSink {
    private final ContainerRequests.ContainerStreamRequest streamRequest;
    private final HttpServerResponse response;
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
        this.response = streamRequest.request().response();
        this.options = options;
        this.endHandler = ended;
        this.remainingBytes = options.limitBytes().orElse(Long.MAX_VALUE);
        this.outputBuffer = new OutputBuffer(streamRequest.context(), (source, bytes) -> response.write(bytes));
        response.closeHandler(v -> end());
        response.exceptionHandler(e -> end());
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
        head(response).setChunked(true);
        response.writeHead();
        responseStarted = true;
        streamRequest.responseStarted(200);
        outputBuffer.open();
        if (reachedLimit) {
            finish();
            return;
        }
        session.exitCode()
                .whenComplete((code, failure) -> streamRequest.context().runOnContext(v -> {
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
            response.end();
        }
    }

    private void abort() {
        if (!finished) {
            end();
            response.reset();
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
}
