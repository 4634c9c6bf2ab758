package dev.mooring.cli;

/**
 * A failure that the user can do something about. Its message is all that is printed (no stack trace unless
 * {@code --verbose}), so it has the form "Expected …, but …; next: …".
 */
public final class MooringException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    public MooringException(ExitCode exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public MooringException(ExitCode exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    public ExitCode exitCode() {
        return exitCode;
    }
}
