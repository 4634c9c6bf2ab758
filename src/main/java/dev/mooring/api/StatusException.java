package dev.mooring.api;

/** Ends a request with a {@link Status}. Not a server error, so it has no stack trace. */
public final class StatusException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Status status;

    public StatusException(Status status) {
        super(status.message(), null, false, false);
        this.status = status;
    }

    public Status status() {
        return status;
    }
}
