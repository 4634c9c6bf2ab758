package dev.mooring.volume.block;

import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.path.FileStatus;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The kernel's loop devices, by losetup(8). An image is recognized by its device and inode; the name that the kernel keeps of it is
 * believed only when the image is gone. Data goes through the page cache, as the kernel does it unless told otherwise: that works on every
 * file system, and what a file system on the device has flushed is flushed to the image. Stateless; any thread, but never two for one
 * image; blocks.
 */
final class LoopDevices {
    static final int SECTOR = 512;
    static final String NO_LOOP_DEVICES = "NoLoopDevices";
    static final String IN_USE = "DeviceInUse";

    private static final Path BLOCK_DEVICES = Path.of("/sys/block");
    private static final String[] COLUMNS = {
        "--list",
        "--noheadings",
        "--raw",
        "--output",
        "NAME,MAJ:MIN,BACK-INO,BACK-MAJ:MIN,OFFSET,SIZELIMIT,RO,AUTOCLEAR"
    };
    private static final int FIELDS = 8;

    /** Others look for a free one at the same time. */
    private static final int ATTEMPTS = 8;

    private final DeviceCommands commands;

    LoopDevices(CommandRunner runner) {
        this.commands = new DeviceCommands(runner);
    }

    /**
     * One that has a file behind it.
     *
     * @param path such as /dev/loop3
     * @param number major:minor
     * @param inode of the file behind it, on the device {@code on}
     * @param use whether all of that file can be read and written
     * @param stay whether it goes as soon as nobody has it open
     */
    record Loop(String path, String number, long inode, String on, Use use, Stay stay) {
        enum Use {
            WHOLE,
            PART_OR_READ_ONLY
        }

        enum Stay {
            LASTING,
            GOING
        }

        boolean holds(FileStatus image) {
            return inode == image.place().inode() && on.equals(ImageFile.device(image));
        }
    }

    /** Those that have this file behind them. */
    List<Loop> of(Path path, FileStatus image) throws VolumeException, InterruptedException {
        List<Loop> found = new ArrayList<>();
        for (Loop each :
                parse(commands.output(DeviceCommands.SHORT, "losetup", list("--associated", path.toString())))) {
            if (each.holds(image)) {
                found.add(each);
            }
        }
        return found;
    }

    /** Those whose file has this name or, if it was removed, had it. For when the file itself cannot be looked at. */
    List<Loop> named(Path path) throws VolumeException, InterruptedException {
        List<Loop> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(BLOCK_DEVICES, "loop*")) {
            for (Path each : all) {
                String name = each.getFileName().toString();
                String file = backingFile(each);
                if (file.equals(path.toString()) || file.equals(path + " (deleted)")) {
                    at("/dev/" + name).ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            throw VolumeException.clean(
                    "NotReachable", "Expected to list " + BLOCK_DEVICES + ", but " + e.getMessage());
        }
        return found;
    }

    private static String backingFile(Path device) {
        return content(device.resolve("loop/backing_file"));
    }

    /** Its major:minor; "" if there is no such device. Asks the kernel only, so it takes no time. */
    static String numberOf(String device) {
        return content(BLOCK_DEVICES.resolve(Path.of(device).getFileName()).resolve("dev"));
    }

    /** Its size in bytes; 0 if there is no such device. */
    static long sizeOf(Loop loop) {
        String sectors = content(
                BLOCK_DEVICES.resolve(Path.of(loop.path()).getFileName()).resolve("size"));
        return sectors.isEmpty() ? 0 : Long.parseLong(sectors) * SECTOR;
    }

    private static String content(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException expected) {
            // There is none, or no longer.
            return "";
        }
    }

    /** Nothing if it has no file behind it. */
    Optional<Loop> at(String device) throws VolumeException, InterruptedException {
        CommandResult result = commands.run(DeviceCommands.SHORT, "losetup", list(device));
        return result.succeeded() ? parse(result.output()).stream().findFirst() : Optional.empty();
    }

    private static String[] list(String... more) {
        List<String> arguments = new ArrayList<>(List.of(COLUMNS));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private static List<Loop> parse(String output) {
        List<Loop> found = new ArrayList<>();
        for (String line : output.split("\n", -1)) {
            String[] fields = line.replace("\\x20", "").split(" ", -1);
            if (fields.length == FIELDS && !fields[2].isEmpty()) {
                boolean whole = fields[4].equals("0") && fields[5].equals("0") && fields[6].equals("0");
                found.add(new Loop(
                        fields[0],
                        fields[1],
                        Long.parseUnsignedLong(fields[2]),
                        fields[3],
                        whole ? Loop.Use.WHOLE : Loop.Use.PART_OR_READ_ONLY,
                        fields[7].equals("0") ? Loop.Stay.LASTING : Loop.Stay.GOING));
            }
        }
        return found;
    }

    /** A device for this file; the one it has, if it has one. */
    Loop attach(Path path, FileStatus image) throws VolumeException, InterruptedException {
        List<Loop> found = of(path, image);
        return found.isEmpty() ? attachNew(path, image) : usable(path, found);
    }

    private static Loop usable(Path path, List<Loop> found) throws VolumeException {
        Loop first = found.get(0);
        if (found.size() > 1 || first.use() != Loop.Use.WHOLE) {
            List<String> names = found.stream().map(Loop::path).toList();
            throw VolumeException.clean(
                    IN_USE,
                    "the image " + path + " is attached to " + String.join(" and ", names)
                            + (found.size() > 1 ? ", which would damage it" : " in part or read-only")
                            + ": somebody else has done that; detach it (losetup -d " + String.join(" ", names) + ')');
        }
        return first;
    }

    private Loop attachNew(Path path, FileStatus image) throws VolumeException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            CommandResult result =
                    commands.run(DeviceCommands.SHORT, "losetup", "--find", "--show", "--nooverlap", path.toString());
            if (result.succeeded()) {
                return verified(path, image, result.output().strip());
            }
            boolean raced = result.words().contains("busy") || result.words().contains("temporarily unavailable");
            if (!raced || attempt == ATTEMPTS) {
                throw refused(path, result);
            }
        }
    }

    /** Somebody may have put another file there before losetup opened it. */
    private Loop verified(Path path, FileStatus image, String device) throws VolumeException, InterruptedException {
        Optional<Loop> loop = at(device);
        if (loop.isPresent() && loop.get().holds(image)) {
            return loop.get();
        }
        if (loop.isPresent()) {
            commands.run(DeviceCommands.SHORT, "losetup", "--detach", device);
        }
        throw VolumeException.uncertain(
                "AttachFailed",
                "the image " + path + " was to be attached, but " + device + " has "
                        + (loop.isEmpty() ? "no" : "another") + " file behind it: it is tried again by itself",
                loop.map(Loop::toString).orElse(""));
    }

    private static VolumeException refused(Path path, CommandResult result) {
        String words = result.words();
        String message = "the image " + path + " cannot be attached to a loop device: ";
        String noNodes = "give Mooring the machine's devices (docker run --privileged -v /dev:/dev)";
        if (words.contains("find an unused loop device")) {
            message += "there is none free; load the kernel module (modprobe loop), or " + noNodes;
        } else if (words.contains("No such file or directory") || words.contains("No such device")) {
            message += "the kernel has one, but /dev does not show it; " + noNodes;
        } else if (words.contains("Operation not permitted") || words.contains("Permission denied")) {
            message += "not permitted; Mooring must run as root, with the capability CAP_SYS_ADMIN";
        } else {
            return new VolumeException(Left.PERHAPS_SOMETHING, "AttachFailed", message + words, words);
        }
        return new VolumeException(Left.NOTHING, NO_LOOP_DEVICES, message, words);
    }

    /** Makes a device as large as its file has become; answers with that size. */
    long adoptSize(Loop loop, FileStatus image) throws VolumeException, InterruptedException {
        if (sizeOf(loop) != image.size() / SECTOR * SECTOR) {
            commands.output(DeviceCommands.SHORT, "losetup", "--set-capacity", loop.path());
        }
        return sizeOf(loop);
    }

    /** Returns when it has no file behind it any more. */
    void detach(Loop loop) throws VolumeException, InterruptedException {
        CommandResult result = commands.run(DeviceCommands.SHORT, "losetup", "--detach", loop.path());
        Optional<Loop> now = at(loop.path());
        if (now.isPresent()
                && now.get().inode() == loop.inode()
                && now.get().on().equals(loop.on())) {
            throw VolumeException.uncertain(
                    IN_USE,
                    "device is still in use: " + loop.path() + " is open in another process or container, and goes when"
                            + " that closes it",
                    result.words());
        }
    }
}
