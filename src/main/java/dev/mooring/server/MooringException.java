package dev.mooring.server;

/**
 * A failure that the user can fix. Only its message is printed (a stack trace only with {@code --verbose}), so it says
 * what is wrong, with the value found, and then what to do: "Cannot listen on …: …; next: …".
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
