package dev.mooring.volume.work;

import dev.mooring.volume.path.Descriptor;
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
import java.util.function.UnaryOperator;

/**
 * What the machine's own programs do with images: loop devices and the file systems in them. Nothing is ever formatted or shrunk. Programs
 * are not told the image's name, under which they might find something else by then, but the way to the file that is open here.
 */
final class ImageTools {
    private static final Duration SHORT = Duration.ofSeconds(30);

    /** Of a large file system that must be looked through first. */
    private static final Duration LONG = Duration.ofMinutes(10);

    /** blkid has found nothing it knows. */
    private static final int NOTHING_FOUND = 2;

    /** e2fsck has repaired something (1), and would like a restart for mounted ones (2). */
    private static final int REPAIRED = 3;

    /**
     * An image that is open.
     *
     * @param path its name, for people
     * @param handle the way to it, for programs, as long as it is open
     */
    record Image(Path path, String handle) {
        static Image of(Path path, Descriptor opened) {
            return new Image(path, opened.handleForOthers());
        }

        private String words(String text) {
            return text.replace(handle, path.toString());
        }
    }

    private final CommandRunner runner;
    private final Mounts mounts;

    ImageTools(CommandRunner runner, Mounts mounts) {
        this.runner = runner;
        this.mounts = mounts;
    }

    /** The loop devices an image is attached to. */
    List<String> devices(Image image) throws VolumeWorkException, InterruptedException {
        String output = mustSucceed(
                Command.of(
                        SHORT, "losetup", "--list", "--noheadings", "--output", "NAME", "--associated", image.handle()),
                image::words);
        return output.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
    }

    /** Tells a loop device that its image has grown. */
    void adoptSize(String device) throws VolumeWorkException, InterruptedException {
        mustSucceed(Command.of(SHORT, "losetup", "--set-capacity", device), UnaryOperator.identity());
    }

    /** Such as ext4; nothing if the image was never formatted. */
    Optional<String> fileSystem(Image image) throws VolumeWorkException, InterruptedException {
        Command command =
                Command.of(SHORT, "blkid", "--probe", "--output", "value", "--match-tag", "TYPE", image.handle());
        CommandResult result = run(command);
        if (result.exit() == NOTHING_FOUND) {
            return Optional.empty();
        }
        mustHaveSucceeded(command, result, image::words);
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
        mustHaveSucceeded(command, result, UnaryOperator.identity());
        return true;
    }

    /** Grows an ext4 that nobody uses to the size of its image. It must be found whole before. */
    void growUnused(Image image) throws VolumeWorkException, InterruptedException {
        Command check = Command.of(LONG, "e2fsck", "-f", "-p", image.handle());
        CommandResult result = run(check);
        if (result.exit() > REPAIRED) {
            mustHaveSucceeded(check, result, image::words);
        }
        mustSucceed(Command.of(LONG, "resize2fs", image.handle()), image::words);
    }

    private String mustSucceed(Command command, UnaryOperator<String> words)
            throws VolumeWorkException, InterruptedException {
        CommandResult result = run(command);
        mustHaveSucceeded(command, result, words);
        return result.output();
    }

    private static void mustHaveSucceeded(Command command, CommandResult result, UnaryOperator<String> words)
            throws VolumeWorkException {
        if (!result.succeeded()) {
            String said = words.apply(result.words());
            throw new VolumeWorkException(
                    VolumeWorkException.COMMAND_FAILED,
                    "Expected `" + words.apply(command.toString()) + "` to succeed, but it ended with " + result.exit()
                            + ": " + said + ": it is tried again; try it by hand to see more",
                    said);
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
