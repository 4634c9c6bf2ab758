package dev.mooring.volume.block;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.time.Duration;

/**
 * Runs the machine's device programs and translates their failures to {@link VolumeException}s. Thread-safe; blocks.
 */
final class DeviceCommands {
    static final String PROGRAM_MISSING = "ProgramMissing";
    static final String TOO_SLOW = "TooSlow";
    static final String COMMAND_FAILED = "CommandFailed";

    /** Deadline for queries and small changes. */
    static final Duration SHORT = Duration.ofSeconds(30);

    /** Deadline for programs that process a whole device. */
    static final Duration LONG = Duration.ofMinutes(30);

    private final CommandRunner runner;

    DeviceCommands(CommandRunner runner) {
        this.runner = runner;
    }

    /** Runs the program and returns the result, whatever the exit code. */
    CommandResult run(Duration deadline, String program, String... arguments)
            throws VolumeException, InterruptedException {
        return run(Command.of(deadline, program, arguments));
    }

    /** Returns the output of a program that must succeed. */
    String output(Duration deadline, String program, String... arguments) throws VolumeException, InterruptedException {
        Command command = Command.of(deadline, program, arguments);
        CommandResult result = run(command);
        if (!result.succeeded()) {
            throw failed(command.toString(), result);
        }
        return result.output();
    }

    private CommandResult run(Command command) throws VolumeException, InterruptedException {
        try {
            return runner.run(command);
        } catch (CommandException e) {
            throw switch (e.kind()) {
                case MISSING -> missing(command.program(), e);
                case NOT_STARTED -> VolumeException.clean("NotStarted", e.getMessage());
                case TIMED_OUT -> VolumeException.uncertain(TOO_SLOW, e.getMessage(), "");
            };
        }
    }

    /** Returns an uncertain failure: a program that failed may have completed some of its work. */
    static VolumeException failed(String command, CommandResult result) {
        return VolumeException.uncertain(
                COMMAND_FAILED,
                "`" + command + "` failed with exit status " + result.exitCode() + ": " + result.errorOrOutput(),
                result.errorOrOutput());
    }

    private static VolumeException missing(String program, CommandException e) {
        return new VolumeException(
                FailureState.CLEAN,
                PROGRAM_MISSING,
                program + " is missing: apt-get install " + packageOf(program),
                e.getMessage());
    }

    private static String packageOf(String program) {
        return switch (program) {
            case "mkfs.ext4", "mkfs.ext3", "mkfs.ext2", "e2fsck", "resize2fs", "dumpe2fs" -> "e2fsprogs";
            case "mkfs.xfs", "xfs_growfs", "xfs_db", "xfs_repair" -> "xfsprogs";
            case "losetup" -> "mount";
            case "cmp" -> "diffutils";
            default -> "util-linux";
        };
    }
}
