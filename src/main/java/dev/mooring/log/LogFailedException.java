package dev.mooring.log;

import java.io.IOException;

/** The log could not make something durable and takes no more events. What was acknowledged before is not touched. */
public final class LogFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    public LogFailedException(String message) {
        super(message);
    }

    public LogFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
