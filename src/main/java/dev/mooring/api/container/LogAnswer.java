package dev.mooring.api.container;

import dev.mooring.api.container.ContainerAccess.Outlet;
import dev.mooring.api.container.ContainerAccess.Session;
import dev.mooring.api.container.ContainerAccess.Source;
import dev.mooring.api.status.Status;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A log on its way into a response: as fast as the client takes it, until it ends, the client goes or as much as was asked for has been sent. That it
 * broke in the middle is shown by a response that does not end as it should. On the event loop of its request, but for {@link #output}.
 */
final class LogAnswer implements Live, Outlet {
    private final Conversation conversation;
    private final HttpServerResponse response;
    private final LogOptions options;
    private final Consumer<Live> ended;
    private final Outflow flow;

    /** Bytes that may still be sent; touched by whoever brings output, which is one at a time. */
    private long left;

    private Session session;
    private boolean begun;
    private boolean sated;
    private boolean over;

    LogAnswer(Conversation conversation, LogOptions options, Consumer<Live> ended) {
        this.conversation = conversation;
        this.response = conversation.request().response();
        this.options = options;
        this.ended = ended;
        this.left = options.limitBytes().orElse(Long.MAX_VALUE);
        this.flow = new Outflow(conversation.context(), (source, bytes) -> response.write(bytes));
        response.closeHandler(v -> end());
        response.exceptionHandler(e -> end());
    }

    /** A log without anything in it. */
    static void empty(Conversation conversation) {
        HttpServerResponse response = conversation.request().response();
        head(response).end();
        conversation.began(200);
        conversation.over();
    }

    void begin(ContainerAccess access, ContainerRef container) {
        access.logs(container, options.wish(), this)
                .whenComplete((opened, failure) -> conversation.context().runOnContext(v -> {
                    if (failure == null) {
                        opened(opened);
                    } else {
                        refused(Failures.status(failure, gone(container)));
                    }
                }));
    }

    private static Status gone(ContainerRef container) {
        return Status.badRequest("unable to retrieve container logs for " + container.id());
    }

    private void opened(Session opened) {
        session = opened;
        if (over) {
            session.close();
            return;
        }
        head(response).setChunked(true);
        response.writeHead();
        begun = true;
        conversation.began(200);
        flow.open();
        if (sated) {
            finish();
            return;
        }
        session.ended()
                .whenComplete((code, failure) -> conversation.context().runOnContext(v -> {
                    if (failure == null) {
                        finish();
                    } else {
                        abort();
                    }
                }));
    }

    private void refused(Status status) {
        if (!over) {
            end();
            conversation.answer(status);
        }
    }

    @Override
    public CompletionStage<Void> output(Source source, byte[] bytes) {
        if (!options.sources().contains(source)) {
            return CompletableFuture.completedStage(null);
        }
        if (bytes.length < left) {
            left -= bytes.length;
            return flow.output(source, bytes);
        }
        byte[] rest = Arrays.copyOf(bytes, (int) left);
        left = 0;
        flow.output(source, rest);
        conversation.context().runOnContext(v -> enough());
        return CompletableFuture.failedStage(new IOException("as much as was asked for has been sent"));
    }

    /** Output may come before the session is known to be open. */
    private void enough() {
        sated = true;
        if (begun) {
            finish();
        }
    }

    @Override
    public void tick() {
        if (!conversation.isAllowed()) {
            abort();
        }
    }

    @Override
    public void shutDown() {
        finish();
    }

    private void finish() {
        if (!over) {
            end();
            response.end();
        }
    }

    private void abort() {
        if (!over) {
            end();
            response.reset();
        }
    }

    private void end() {
        if (over) {
            return;
        }
        over = true;
        flow.close();
        if (session != null) {
            session.close();
        }
        if (begun) {
            conversation.over();
        }
        ended.accept(this);
    }

    private static HttpServerResponse head(HttpServerResponse response) {
        response.headers()
                .set(HttpHeaders.CONTENT_TYPE, "text/plain")
                .set(HttpHeaders.CACHE_CONTROL, "no-cache, private")
                .set("x-content-type-options", "nosniff");
        return response.setStatusCode(200);
    }
}
