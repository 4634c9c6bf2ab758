package dev.mooring.log;

import java.io.IOException;

/**
 * Thrown when the log could not make a batch durable; it accepts no more events. Acknowledged events are not affected.
 */
public final class LogFailedException extends IOException {
    private static final long serialVersionUID = 1L;

    public LogFailedException(String message) {
        super(message);
    }

    public LogFailedException(String message, Throwable cause) {
        super(message, cause);
    }
}
