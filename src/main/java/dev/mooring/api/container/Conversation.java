package dev.mooring.api.container;

import dev.mooring.api.status.Status;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;

/** A request about a container whose user may make it, and what is told about how it goes. For the event loop of its request. */
public interface Conversation {
    HttpServerRequest request();

    Context context();

    /** Answers the request with a Status. Nothing follows. */
    void answer(Status status);

    /** Answers the request with whatever went wrong. Nothing follows. */
    void fail(Throwable failure);

    /** The answer has begun, and may take long. */
    void began(int code);

    /** What began has ended. Once. */
    void over();

    /** Whether the user may still have what was asked for. */
    boolean isAllowed();
}
