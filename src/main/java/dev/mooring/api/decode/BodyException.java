package dev.mooring.api.decode;

/** What the client sent cannot be understood: an HTTP 400 whose message a person reads. Without a stack trace: it is not a bug. */
public final class BodyException extends RuntimeException {
    public BodyException(String message) {
        super(message, null, false, false);
    }
}
