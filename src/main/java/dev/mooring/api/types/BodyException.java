package dev.mooring.api.types;

/**
 * A request body that cannot be decoded: HTTP 400 with a message for users. Has no stack trace, because it is a client
 * error.
 */
public final class BodyException extends RuntimeException {
    public BodyException(String message) {
        super(message, null, false, false);
    }
}
