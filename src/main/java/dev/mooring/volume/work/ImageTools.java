package dev.mooring.volume.work;

import dev.mooring.host.Command;
import dev.mooring.host.CommandException;
import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.Descriptor;
import dev.mooring.host.MountTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Runs the machine's programs on images: loop devices and the file systems in them. Never formats or shrinks anything.
 * Programs get the /proc path of the open file, because its name may refer to another file by then.
 */
final class ImageTools {
    private static final Duration SHORT = Duration.ofSeconds(30);

    /** Deadline for programs that process a whole file system. */
    private static final Duration LONG = Duration.ofMinutes(10);

    /** Exit code of blkid if it recognizes nothing. */
    private static final int NOTHING_FOUND = 2;

    /** Largest exit code of e2fsck for a successful repair: 1 is repaired, 2 asks for a restart. */
    private static final int REPAIRED = 3;

    /**
     * An open image.
     *
     * @param path its name, for messages
     * @param handle /proc path for programs, valid while the file is open
     */
    record OpenImage(Path path, String handle) {
        static OpenImage of(Path path, Descriptor opened) {
            return new OpenImage(path, opened.procPathForChildren());
        }

        private String withPath(String text) {
            return text.replace(handle, path.toString());
        }
    }

    private final CommandRunner runner;
    private final MountTableSupplier mounts;

    ImageTools(CommandRunner runner, MountTableSupplier mounts) {
        this.runner = runner;
        this.mounts = mounts;
    }

    /** Returns the loop devices of the image. */
    List<String> devices(OpenImage image) throws VolumeWorkException, InterruptedException {
        String output = mustSucceed(
                Command.of(
                        SHORT, "losetup", "--list", "--noheadings", "--output", "NAME", "--associated", image.handle()),
                image::withPath);
        return output.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    /** Updates the size of a loop device after its image has grown. */
    void updateCapacity(String device) throws VolumeWorkException, InterruptedException {
        mustSucceed(Command.of(SHORT, "losetup", "--set-capacity", device), UnaryOperator.identity());
    }

    /** Returns the file system type, such as ext4; empty if the image was never formatted. */
    Optional<String> fileSystem(OpenImage image) throws VolumeWorkException, InterruptedException {
        Command command =
                Command.of(SHORT, "blkid", "--probe", "--output", "value", "--match-tag", "TYPE", image.handle());
        CommandResult result = run(command);
        if (result.exitCode() == NOTHING_FOUND) {
            return Optional.empty();
        }
        mustHaveSucceeded(command, result, image::withPath);
        return Optional.of(result.output().strip()).filter(type -> !type.isEmpty());
    }

    boolean isMounted(String device) throws VolumeWorkException {
        try {
            List<MountTable.Mount> all = mounts.read().mounts();
            return all.stream().anyMatch(each -> each.source().equals(device));
        } catch (IOException e) {
            throw VolumeWorkException.of("read the mount table", e);
        }
    }

    /** Grows a mounted ext4 to the size of its device; false if this process lacks the required capability. */
    boolean growMounted(String device) throws VolumeWorkException, InterruptedException {
        Command command = Command.of(LONG, "resize2fs", device);
        CommandResult result = run(command);
        if (!result.succeeded() && result.stderr().contains("Permission denied to resize filesystem")) {
            return false;
        }
        mustHaveSucceeded(command, result, UnaryOperator.identity());
        return true;
    }

    /** Grows an unused ext4 to the size of its image, after checking it. */
    void growUnused(OpenImage image) throws VolumeWorkException, InterruptedException {
        Command check = Command.of(LONG, "e2fsck", "-f", "-p", image.handle());
        CommandResult result = run(check);
        if (result.exitCode() > REPAIRED) {
            mustHaveSucceeded(check, result, image::withPath);
        }
        mustSucceed(Command.of(LONG, "resize2fs", image.handle()), image::withPath);
    }

    private String mustSucceed(Command command, UnaryOperator<String> replaceHandle)
            throws VolumeWorkException, InterruptedException {
        CommandResult result = run(command);
        mustHaveSucceeded(command, result, replaceHandle);
        return result.output();
    }

    private static void mustHaveSucceeded(Command command, CommandResult result, UnaryOperator<String> replaceHandle)
            throws VolumeWorkException {
        if (!result.succeeded()) {
            String errorOutput = replaceHandle.apply(result.errorOrOutput());
            throw new VolumeWorkException(
                    VolumeWorkException.COMMAND_FAILED,
                    "`" + replaceHandle.apply(command.toString()) + "` failed with exit code "
                            + result.exitCode() + ": " + errorOutput
                            + "; retrying; run it manually for details",
                    errorOutput);
        }
    }

    private CommandResult run(Command command) throws VolumeWorkException, InterruptedException {
        try {
            return runner.run(command);
        } catch (CommandException e) {
            throw VolumeWorkException.of(e);
        }
    }
}
