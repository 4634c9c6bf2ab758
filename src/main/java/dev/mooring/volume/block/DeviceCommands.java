package dev.mooring.volume.block;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.time.Duration;

/** Runs the machine's programs for devices, and says in words of volumes what went wrong. Any thread; blocks. */
final class DeviceCommands {
    static final String PROGRAM_MISSING = "ProgramMissing";
    static final String TOO_SLOW = "TooSlow";
    static final String COMMAND_FAILED = "CommandFailed";

    /** For what only asks or changes a few bytes. */
    static final Duration SHORT = Duration.ofSeconds(30);

    /** For what goes through a whole device. */
    static final Duration LONG = Duration.ofMinutes(30);

    private final CommandRunner runner;

    DeviceCommands(CommandRunner runner) {
        this.runner = runner;
    }

    /** However it ended. */
    CommandResult run(Duration deadline, String program, String... arguments)
            throws VolumeException, InterruptedException {
        return run(Command.of(deadline, program, arguments));
    }

    /** Its output, if it succeeded. */
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
                case TOO_SLOW -> VolumeException.uncertain(TOO_SLOW, e.getMessage(), "");
            };
        }
    }

    /** A program that complained may have done a part. */
    static VolumeException failed(String command, CommandResult result) {
        return VolumeException.uncertain(
                COMMAND_FAILED,
                "`" + command + "` failed with exit status " + result.exit() + ": " + result.words(),
                result.words());
    }

    private static VolumeException missing(String program, CommandException e) {
        return new VolumeException(
                Left.NOTHING,
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
