package dev.mooring.volume;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.volume.VolumeException.FailureState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs mount(8) as a child process. On return the mount exists; otherwise the exception says whether anything may be
 * left. Thread-safe for different targets.
 */
final class MountProgram {
    private static final String HELPER_WANTED = "helper program";

    /** Message of mount(8) if there is no helper for the type; helpers use different messages. */
    private static final String NO_HELPER_CALLED = "unknown filesystem type";

    /** Helpers that mount(8) needs for some types, and the Debian packages that contain them. */
    private static final Map<String, List<String>> HELPERS = Map.of(
            "nfs", List.of("mount.nfs", "nfs-common"),
            "nfs4", List.of("mount.nfs", "nfs-common"),
            "cifs", List.of("mount.cifs", "cifs-utils"));

    private final Unmounter unmounts;
    private final MountTableReader tables;
    private final CommandRunner commands;

    MountProgram(Unmounter unmounts, MountTableReader tables, CommandRunner commands) {
        this.unmounts = unmounts;
        this.tables = tables;
        this.commands = commands;
    }

    void mount(MountCommand mount) throws VolumeException, InterruptedException {
        Command command = new Command("mount", arguments(mount), "", mount.deadline());
        CommandResult result;
        try {
            result = commands.run(command);
        } catch (CommandException e) {
            throw switch (e.kind()) {
                case MISSING -> VolumeException.clean("ProgramMissing", e.getMessage());
                case NOT_STARTED -> VolumeException.clean("NotStarted", e.getMessage());
                case TIMED_OUT -> VolumeException.uncertain("TooSlow", e.getMessage(), e.getMessage());
            };
        }
        if (!result.succeeded()) {
            throw failure(mount, command, result, cleanUp(mount));
        }
        if (!tables.read().isMountPoint(mount.target())) {
            throw VolumeException.uncertain(
                    "NotMounted",
                    "`" + command + "` succeeded, but the mount table does not contain " + mount.source() + " at "
                            + mount.target(),
                    result.errorOrOutput());
        }
    }

    /**
     * Returns the arguments. -c prevents mount(8) from canonicalizing paths, which would access them and follow links.
     */
    private static List<String> arguments(MountCommand mount) {
        List<String> arguments = new ArrayList<>(List.of("-c", "-t", mount.type()));
        if (!mount.options().isEmpty()) {
            arguments.add("-o");
            arguments.add(String.join(",", mount.options()));
        }
        arguments.addAll(List.of("--", mount.source(), mount.target().toString()));
        return arguments;
    }

    /** Unmounts the target, because a helper can fail after mounting. */
    private FailureState cleanUp(MountCommand mount) throws InterruptedException {
        try {
            unmounts.unmount(mount.target(), UnmountTimeouts.REMOTE, OperationProgress.NO_OP);
            return FailureState.CLEAN;
        } catch (VolumeException e) {
            return FailureState.UNCERTAIN;
        }
    }

    private static VolumeException failure(
            MountCommand mount, Command command, CommandResult result, FailureState left) {
        String output = result.errorOrOutput();
        List<String> helper = HELPERS.get(mount.type());
        if (helper != null && (output.contains(HELPER_WANTED) || output.contains(NO_HELPER_CALLED))) {
            return new VolumeException(
                    left, "ProgramMissing", helper.get(0) + " is missing: apt-get install " + helper.get(1), output);
        }
        return new VolumeException(
                left,
                "MountFailed",
                "mount failed: exit status " + result.exitCode() + "; Mounting command: mount; Mounting arguments: "
                        + String.join(" ", command.arguments()) + "; Output: " + output,
                output);
    }
}
