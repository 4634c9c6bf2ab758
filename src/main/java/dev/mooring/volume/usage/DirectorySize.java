package dev.mooring.volume.usage;

import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Adds up what the files below a directory take up on its file system. Has to look at each of them, so it is done by a child process that
 * lets everybody else go first and is killed when it takes too long. Stateless; any thread; blocks.
 */
public final class DirectorySize {
    public static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final String LEAST_URGENT = "19";

    private final CommandRunner commands;

    public DirectorySize(CommandRunner commands) {
        this.commands = commands;
    }

    /** In bytes. What cannot be read is left out. */
    public long of(Path directory) throws UsageException, InterruptedException {
        CommandResult result;
        try {
            // -x: what is mounted below is not this volume's; -D: the directory itself may be named by a link.
            result = commands.run(Command.of(
                    DEADLINE, "nice", "-n", LEAST_URGENT, "du", "-sxD", "--block-size=1", "--", directory.toString()));
        } catch (CommandException e) {
            throw new UsageException(e.getMessage(), e);
        }
        // A file that vanished meanwhile makes du complain and end with 1, but the sum is there.
        String output = result.output();
        int tab = output.indexOf('\t');
        if (tab <= 0) {
            throw new UsageException(words(directory, result));
        }
        try {
            return Long.parseLong(output.substring(0, tab));
        } catch (NumberFormatException e) {
            throw new UsageException(words(directory, result), e);
        }
    }

    /** It may have said nothing: when directories are moved under its feet it gives up without a word. */
    private static String words(Path directory, CommandResult result) {
        return "Expected du to tell the size of " + directory + ", but it ended with " + result.exit()
                + (result.words().isEmpty() ? " and said nothing" : ": " + result.words());
    }
}
