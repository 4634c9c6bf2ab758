package dev.mooring.server;

import dev.mooring.log.EncryptionKeyException;
import dev.mooring.log.LogDamagedException;
import dev.mooring.world.ReplayMismatchException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** Exit code and message of a failed command. The only place that translates exceptions to exit codes. */
public record CommandFailure(ExitCode exitCode, String message) {
    private static final String NO_SPACE = "No space left on device";

    public static CommandFailure of(Throwable thrown) {
        Throwable cause = unwrap(thrown);
        if (cause instanceof MooringException mooring) {
            return new CommandFailure(mooring.exitCode(), mooring.getMessage());
        }
        // Register further exceptions with their own code here.
        if (cause instanceof LogDamagedException || cause instanceof ReplayMismatchException) {
            return new CommandFailure(ExitCode.LOG_DAMAGED, cause.getMessage());
        }
        if (cause instanceof EncryptionKeyException) {
            return new CommandFailure(ExitCode.USAGE, cause.getMessage());
        }
        if (cause instanceof TimeoutException) {
            return new CommandFailure(ExitCode.TIMEOUT, "No response in time: " + cause.getMessage());
        }
        if (cause instanceof FileSystemException file) {
            return new CommandFailure(ExitCode.FAILED, describe(file));
        }
        if (cause instanceof IOException) {
            return new CommandFailure(ExitCode.FAILED, String.valueOf(cause.getMessage()));
        }
        return new CommandFailure(
                ExitCode.FAILED,
                "Internal error: " + cause + "; next: run again with --verbose for the stack trace and report it");
    }

    /** Returns the cause without the wrappers of futures and lambdas. */
    private static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null
                && (cause instanceof CompletionException
                        || cause instanceof ExecutionException
                        || cause instanceof UncheckedIOException)) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * Distinguishes an inaccessible path from a missing one.
     *
     * @throws AccessDeniedException if this process may not access the path, or may not check whether it exists
     */
    public static void requireAccess(Path path, AccessMode... modes) throws AccessDeniedException {
        try {
            path.getFileSystem().provider().checkAccess(path, modes);
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException e) {
            // The caller reports a missing file.
        }
    }

    /** Returns a message with the file or directory that denies access, its owner and its mode. */
    private static String denied(Path path) {
        String user = System.getProperty("user.name");
        String denied = "Permission denied: user " + user + " may not access " + path;
        Path cause = denying(path.toAbsolutePath().normalize());
        try {
            String owner = Files.getOwner(cause).getName();
            String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(cause));
            return denied + (cause.equals(path) ? ", which is" : ", because " + cause + " is") + " owned by user "
                    + owner
                    + " and has mode " + mode + "; next: "
                    + (owner.equals(user)
                            ? "chmod u+rwX " + cause
                            : "run mooring as user " + owner + ", or name a path that user " + user + " may access");
        } catch (IOException | UnsupportedOperationException e) {
            return denied + "; next: check the owner and mode of " + cause;
        }
    }

    /**
     * Returns the first parent directory that may not be entered; else the path, or the parent in which it cannot be
     * created.
     */
    private static Path denying(Path path) {
        for (int i = 1; i < path.getNameCount(); i++) {
            Path parent = path.getRoot().resolve(path.subpath(0, i));
            if (!Files.isExecutable(parent)) {
                return parent;
            }
        }
        return Files.exists(path) || path.getParent() == null ? path : path.getParent();
    }

    /** Returns a message; the JDK's own is often only the path. */
    private static String describe(FileSystemException file) {
        if (file instanceof NoSuchFileException) {
            return file.getFile() + " does not exist; next: check the path";
        }
        if (file instanceof AccessDeniedException) {
            return denied(Path.of(file.getFile()));
        }
        if (file instanceof FileAlreadyExistsException) {
            return file.getFile() + " exists and is not a directory; next: move it";
        }
        if (NO_SPACE.equals(file.getReason())) {
            return "Cannot write " + file.getFile() + ": " + NO_SPACE
                    + "; next: free space on that file system and start again. No acknowledged write is lost";
        }
        return String.valueOf(file.getMessage());
    }
}
