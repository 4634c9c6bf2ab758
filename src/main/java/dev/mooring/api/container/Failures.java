package dev.mooring.api.container;

import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says as a Status why a container could not be reached. */
final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);

    private Failures() {}

    /** @param gone what is said if there is no such container */
    static Status status(Throwable failure, Status gone) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusException refused) {
            return refused.status();
        }
        if (!(cause instanceof ContainerAccessException known)) {
            LOG.atError().setCause(cause).log("Expected to reach a container, but an error occurred");
            return Status.internalError();
        }
        String message = known.getMessage();
        return switch (known.kind()) {
            case NO_RUNTIME -> new Status(501, "NotImplemented", message);
            case UNREACHABLE -> Status.unavailable(message, 0);
            case BUSY -> Status.tooManyRequests(message, 1);
            case GONE -> gone;
            case REFUSED -> Status.badRequest(message);
            case FAILED -> new Status(500, "InternalError", "Internal error occurred: " + message);
        };
    }
}
