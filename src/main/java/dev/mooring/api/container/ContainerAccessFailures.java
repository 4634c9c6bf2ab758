package dev.mooring.api.container;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Converts failures to reach a container into a Status. */
final class ContainerAccessFailures {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerAccessFailures.class);

    private ContainerAccessFailures() {}

    /** @param gone the Status for a container that no longer exists */
    static Status toStatus(Throwable failure, Status gone) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof StatusException refused) {
            return refused.status();
        }
        if (!(cause instanceof ContainerAccess.ContainerAccessException known)) {
            LOG.atError().setCause(cause).log("Failed to access container");
            return Status.internalError();
        }
        String message = known.getMessage();
        return switch (known.reason()) {
            case NO_RUNTIME -> new Status(501, "NotImplemented", message);
            case UNREACHABLE -> Status.unavailable(message, 0);
            case BUSY -> Status.tooManyRequests(message, 1);
            case GONE -> gone;
            case REFUSED -> Status.badRequest(message);
            case FAILED -> new Status(500, "InternalError", "Internal error occurred: " + message);
        };
    }
}
