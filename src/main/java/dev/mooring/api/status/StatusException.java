package dev.mooring.api.status;

/** Ends the work on a request with a {@link Status}. Not an error of the server, so it knows no stack. */
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
