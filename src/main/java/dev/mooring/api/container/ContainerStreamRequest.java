package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import io.vertx.core.Context;
import io.vertx.core.http.HttpServerRequest;

/**
 * An authorized container request; receives the progress of its response. Confined to the event loop of its request.
 */
public interface ContainerStreamRequest {
    HttpServerRequest request();

    Context context();

    /** Responds with a Status and ends the response. */
    void respond(Status status);

    /** Responds with the Status of a failure and ends the response. */
    void fail(Throwable failure);

    /**
     * Counts a stream of the user until {@link #releaseStream}.
     *
     * @throws StatusException if too many are open
     */
    void acquireStream();

    void releaseStream();

    /** Records that a long-running response has started. */
    void responseStarted(int code);

    /** Records that a long-running response has ended; called once. */
    void responseEnded();

    /** Returns whether the user still has permission. */
    boolean isAllowed();
}
