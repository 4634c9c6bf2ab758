package dev.mooring.volume.mount;

import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * mount(8) as a child process. Whatever it ends with, either the mount is there and nothing is said, or there is an exception that says
 * whether something may be left. Any thread, one at a time per target.
 */
final class MountProgram {
    private static final String HELPER_WANTED = "helper program";

    /** mount(8) itself says so; a helper would have used other words. */
    private static final String NO_HELPER_CALLED = "unknown filesystem type";

    /** Types that mount(8) cannot mount alone, and where Debian keeps what it needs for them. */
    private static final Map<String, List<String>> HELPERS = Map.of(
            "nfs", List.of("mount.nfs", "nfs-common"),
            "nfs4", List.of("mount.nfs", "nfs-common"),
            "cifs", List.of("mount.cifs", "cifs-utils"));

    private final Unmounts unmounts;
    private final Tables tables;
    private final CommandRunner commands;

    MountProgram(Unmounts unmounts, Tables tables, CommandRunner commands) {
        this.unmounts = unmounts;
        this.tables = tables;
        this.commands = commands;
    }

    void mount(MountCommand wanted) throws VolumeException, InterruptedException {
        Command command = new Command("mount", arguments(wanted), "", wanted.deadline());
        CommandResult result;
        try {
            result = commands.run(command);
        } catch (CommandException e) {
            throw switch (e.kind()) {
                case MISSING -> VolumeException.clean("ProgramMissing", e.getMessage());
                case NOT_STARTED -> VolumeException.clean("NotStarted", e.getMessage());
                case TOO_SLOW -> VolumeException.uncertain("TooSlow", e.getMessage(), e.getMessage());
            };
        }
        if (!result.succeeded()) {
            throw failure(wanted, command, result, cleanUp(wanted));
        }
        if (!tables.read().isMountPoint(wanted.target())) {
            throw VolumeException.uncertain(
                    "NotMounted",
                    "Expected " + wanted.source() + " at " + wanted.target() + " after `" + command
                            + "`, but the mount table does not show it",
                    result.words());
        }
    }

    /** No path is made canonical on the way: that would touch it, and follow links. */
    private static List<String> arguments(MountCommand wanted) {
        List<String> arguments = new ArrayList<>(List.of("-c", "-t", wanted.type()));
        if (!wanted.options().isEmpty()) {
            arguments.add("-o");
            arguments.add(String.join(",", wanted.options()));
        }
        arguments.addAll(List.of("--", wanted.source(), wanted.target().toString()));
        return arguments;
    }

    /** A helper may fail after it has mounted. */
    private Left cleanUp(MountCommand wanted) throws InterruptedException {
        try {
            unmounts.unmount(wanted.target(), UnmountLimits.REMOTE, Progress.IGNORED);
            return Left.NOTHING;
        } catch (VolumeException e) {
            return Left.PERHAPS_SOMETHING;
        }
    }

    private static VolumeException failure(MountCommand wanted, Command command, CommandResult result, Left left) {
        String words = result.words();
        List<String> helper = HELPERS.get(wanted.type());
        if (helper != null && (words.contains(HELPER_WANTED) || words.contains(NO_HELPER_CALLED))) {
            return new VolumeException(
                    left, "ProgramMissing", helper.get(0) + " is missing: apt-get install " + helper.get(1), words);
        }
        return new VolumeException(
                left,
                "MountFailed",
                "mount failed: exit status " + result.exit() + "\nMounting command: mount\nMounting arguments: "
                        + String.join(" ", command.arguments()) + "\nOutput: " + words + "\n",
                words);
    }
}
