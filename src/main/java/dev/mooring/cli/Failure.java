package dev.mooring.cli;

import dev.mooring.log.LogDamagedException;
import dev.mooring.world.ReplayMismatchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * What a failed command tells its user: an exit code and one message. Exceptions of packages that cannot know exit codes
 * are translated here, and only here.
 */
public record Failure(ExitCode exitCode, String message) {
    private static final String NO_SPACE = "No space left on device";

    public static Failure of(Throwable thrown) {
        Throwable cause = unwrap(thrown);
        if (cause instanceof MooringException mooring) {
            return new Failure(mooring.exitCode(), mooring.getMessage());
        }
        // Further exceptions with a code of their own are registered here.
        if (cause instanceof LogDamagedException || cause instanceof ReplayMismatchException) {
            return new Failure(ExitCode.LOG_DAMAGED, cause.getMessage());
        }
        if (cause instanceof TimeoutException) {
            return new Failure(ExitCode.TIMEOUT, "Expected an answer in time, but none came: " + cause.getMessage());
        }
        if (cause instanceof FileSystemException file) {
            return new Failure(ExitCode.FAILED, describe(file));
        }
        if (cause instanceof IOException) {
            return new Failure(ExitCode.FAILED, String.valueOf(cause.getMessage()));
        }
        return new Failure(
                ExitCode.FAILED,
                "Expected no internal error, but got " + cause
                        + "; next: run again with --verbose for the stack trace and report it");
    }

    /** The exception that says what happened, without the wrappers that futures and lambdas put around it. */
    static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null
                && (cause instanceof CompletionException
                        || cause instanceof ExecutionException
                        || cause instanceof UncheckedIOException)) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** The JDK's own message is often nothing but the path. */
    private static String describe(FileSystemException file) {
        if (file instanceof NoSuchFileException) {
            return "Expected " + file.getFile() + " to exist, but it does not; next: check the path";
        }
        if (file instanceof AccessDeniedException) {
            return "Expected access to " + file.getFile()
                    + ", but the system refused it; next: check its owner and mode";
        }
        if (file instanceof FileAlreadyExistsException) {
            return "Expected " + file.getFile()
                    + " to be free or a directory, but something else is there; next: move it";
        }
        if (NO_SPACE.equals(file.getReason())) {
            return "Expected room to write " + file.getFile() + ", but: " + NO_SPACE
                    + "; next: make room on that file system and start again. Nothing that was acknowledged is lost";
        }
        return String.valueOf(file.getMessage());
    }
}
