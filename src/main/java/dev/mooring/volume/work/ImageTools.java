package dev.mooring.volume.work;

import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.process.Command;
import dev.mooring.volume.process.CommandException;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What the machine's own programs do with images: loop devices and the file systems in them. Nothing is ever formatted or shrunk. */
final class ImageTools {
    private static final Duration SHORT = Duration.ofSeconds(30);

    /** Of a large file system that must be looked through first. */
    private static final Duration LONG = Duration.ofMinutes(10);

    /** blkid has found nothing it knows. */
    private static final int NOTHING_FOUND = 2;

    /** e2fsck has repaired something (1), and would like a restart for mounted ones (2). */
    private static final int REPAIRED = 3;

    private final CommandRunner runner;
    private final Mounts mounts;

    ImageTools(CommandRunner runner, Mounts mounts) {
        this.runner = runner;
        this.mounts = mounts;
    }

    /** The loop devices an image is attached to. */
    List<String> devices(Path image) throws VolumeWorkException, InterruptedException {
        String output = mustSucceed(Command.of(
                SHORT, "losetup", "--list", "--noheadings", "--output", "NAME", "--associated", image.toString()));
        return output.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    /** Tells a loop device that its image has grown. */
    void adoptSize(String device) throws VolumeWorkException, InterruptedException {
        mustSucceed(Command.of(SHORT, "losetup", "--set-capacity", device));
    }

    /** Such as ext4; nothing if the image was never formatted. */
    Optional<String> fileSystem(Path image) throws VolumeWorkException, InterruptedException {
        Command command =
                Command.of(SHORT, "blkid", "--probe", "--output", "value", "--match-tag", "TYPE", image.toString());
        CommandResult result = run(command);
        if (result.exit() == NOTHING_FOUND) {
            return Optional.empty();
        }
        mustHaveSucceeded(command, result);
        return Optional.of(result.output().strip()).filter(type -> !type.isEmpty());
    }

    boolean isMounted(String device) throws VolumeWorkException {
        try {
            List<MountTable.Mount> all = mounts.read().mounts();
            return all.stream().anyMatch(each -> each.source().equals(device));
        } catch (IOException e) {
            throw VolumeWorkException.of("reading what is mounted", e);
        }
    }

    /** Grows a mounted ext4 to the size of its device; false if this process lacks the capability the kernel wants for it. */
    boolean growMounted(String device) throws VolumeWorkException, InterruptedException {
        Command command = Command.of(LONG, "resize2fs", device);
        CommandResult result = run(command);
        if (!result.succeeded() && result.errors().contains("Permission denied to resize filesystem")) {
            return false;
        }
        mustHaveSucceeded(command, result);
        return true;
    }

    /** Grows an ext4 that nobody uses to the size of its image. It must be found whole before. */
    void growUnused(Path image) throws VolumeWorkException, InterruptedException {
        Command check = Command.of(LONG, "e2fsck", "-f", "-p", image.toString());
        CommandResult result = run(check);
        if (result.exit() > REPAIRED) {
            mustHaveSucceeded(check, result);
        }
        mustSucceed(Command.of(LONG, "resize2fs", image.toString()));
    }

    private String mustSucceed(Command command) throws VolumeWorkException, InterruptedException {
        CommandResult result = run(command);
        mustHaveSucceeded(command, result);
        return result.output();
    }

    private static void mustHaveSucceeded(Command command, CommandResult result) throws VolumeWorkException {
        if (!result.succeeded()) {
            throw new VolumeWorkException(
                    VolumeWorkException.COMMAND_FAILED,
                    "Expected `" + command + "` to succeed, but it ended with " + result.exit() + ": " + result.words()
                            + ": it is tried again; try it by hand to see more",
                    result.words());
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
