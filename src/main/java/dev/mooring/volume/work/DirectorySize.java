package dev.mooring.volume.work;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Sums the disk usage of all files below a directory. It has to visit each file, so it runs in a low-priority child
 * process with a deadline. Stateless and thread-safe; blocks.
 */
public final class DirectorySize {
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final String LEAST_URGENT = "19";

    private final CommandRunner commands;

    public DirectorySize(CommandRunner commands) {
        this.commands = commands;
    }

    /** Returns the size in bytes. Unreadable files are not counted. */
    public long of(Path directory) throws UsageException, InterruptedException {
        CommandResult result;
        try {
            // -x: do not count other mounts; -D: the directory itself may be a symbolic link.
            result = commands.run(Command.of(
                    DEADLINE, "nice", "-n", LEAST_URGENT, "du", "-sxD", "--block-size=1", "--", directory.toString()));
        } catch (CommandException e) {
            throw new UsageException(e.getMessage(), e);
        }
        // du exits with 1 if a file vanished meanwhile, but prints the sum.
        String output = result.output();
        int tab = output.indexOf('\t');
        if (tab <= 0) {
            throw new UsageException(failureMessage(directory, result));
        }
        try {
            return Long.parseLong(output.substring(0, tab));
        } catch (NumberFormatException e) {
            throw new UsageException(failureMessage(directory, result), e);
        }
    }

    /** Returns the error message; du may fail without output if directories are moved concurrently. */
    private static String failureMessage(Path directory, CommandResult result) {
        return "Cannot measure " + directory + ": du exited with code " + result.exitCode()
                + (result.errorOrOutput().isEmpty() ? " without output" : ": " + result.errorOrOutput());
    }
}
