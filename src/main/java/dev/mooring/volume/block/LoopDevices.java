package dev.mooring.volume.block;

import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.FileStatus;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Manages loop devices with losetup(8). An image is identified by device and inode; the file name that the kernel
 * reports is used only if the image no longer exists. I/O goes through the page cache (no direct I/O): this works on
 * every file system, and a flush on the device flushes the image. Stateless; thread-safe for different images; blocks.
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

    /** Retries, because other processes may take the same free device. */
    private static final int ATTEMPTS = 8;

    private final DeviceCommands commands;

    LoopDevices(CommandRunner runner) {
        this.commands = new DeviceCommands(runner);
    }

    /**
     * A loop device with a backing file.
     *
     * @param path such as /dev/loop3
     * @param number major:minor
     * @param inode inode of the backing file
     * @param backingDevice device of the file system that holds the backing file
     * @param backingMode whether all of the backing file can be read and written
     * @param lifetime whether the device is detached on last close (autoclear)
     */
    record LoopDevice(
            String path,
            String number,
            long inode,
            String backingDevice,
            BackingMode backingMode,
            LoopLifetime lifetime) {
        enum BackingMode {
            WHOLE,
            PART_OR_READ_ONLY
        }

        enum LoopLifetime {
            PERSISTENT,
            AUTOCLEAR
        }

        boolean isBackedBy(FileStatus image) {
            return inode == image.location().inode() && backingDevice.equals(ImageFile.device(image));
        }
    }

    /** Returns the devices that have this backing file. */
    List<LoopDevice> of(Path path, FileStatus image) throws VolumeException, InterruptedException {
        List<LoopDevice> found = new ArrayList<>();
        for (LoopDevice each :
                parse(commands.output(DeviceCommands.SHORT, "losetup", list("--associated", path.toString())))) {
            if (each.isBackedBy(image)) {
                found.add(each);
            }
        }
        return found;
    }

    /**
     * Returns the devices whose backing file has, or had before it was deleted, this name. Used when the file itself
     * cannot be accessed.
     */
    List<LoopDevice> named(Path path) throws VolumeException, InterruptedException {
        List<LoopDevice> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(BLOCK_DEVICES, "loop*")) {
            for (Path each : all) {
                String name = each.getFileName().toString();
                String file = backingFile(each);
                if (file.equals(path.toString()) || file.equals(path + " (deleted)")) {
                    at("/dev/" + name).ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            throw VolumeException.clean("NotReachable", "Cannot list " + BLOCK_DEVICES + ": " + e.getMessage());
        }
        return found;
    }

    private static String backingFile(Path device) {
        return content(device.resolve("loop/backing_file"));
    }

    /** Returns the device number as major:minor; "" if there is no such device. Reads sysfs only and does not block. */
    static String numberOf(String device) {
        return content(BLOCK_DEVICES.resolve(Path.of(device).getFileName()).resolve("dev"));
    }

    /** Returns the size in bytes; 0 if there is no such device. */
    static long sizeOf(LoopDevice loop) {
        String sectors = content(
                BLOCK_DEVICES.resolve(Path.of(loop.path()).getFileName()).resolve("size"));
        return sectors.isEmpty() ? 0 : Long.parseLong(sectors) * SECTOR;
    }

    private static String content(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException expected) {
            // The device does not exist or has just been removed.
            return "";
        }
    }

    /** Returns the loop device; empty if it has no backing file. */
    Optional<LoopDevice> at(String device) throws VolumeException, InterruptedException {
        CommandResult result = commands.run(DeviceCommands.SHORT, "losetup", list(device));
        return result.succeeded() ? parse(result.output()).stream().findFirst() : Optional.empty();
    }

    private static String[] list(String... more) {
        List<String> arguments = new ArrayList<>(List.of(COLUMNS));
        arguments.addAll(List.of(more));
        return arguments.toArray(String[]::new);
    }

    private static List<LoopDevice> parse(String output) {
        List<LoopDevice> found = new ArrayList<>();
        for (String line : output.split("\n", -1)) {
            String[] fields = line.replace("\\x20", "").split(" ", -1);
            if (fields.length == FIELDS && !fields[2].isEmpty()) {
                boolean whole = fields[4].equals("0") && fields[5].equals("0") && fields[6].equals("0");
                found.add(new LoopDevice(
                        fields[0],
                        fields[1],
                        Long.parseUnsignedLong(fields[2]),
                        fields[3],
                        whole ? LoopDevice.BackingMode.WHOLE : LoopDevice.BackingMode.PART_OR_READ_ONLY,
                        fields[7].equals("0")
                                ? LoopDevice.LoopLifetime.PERSISTENT
                                : LoopDevice.LoopLifetime.AUTOCLEAR));
            }
        }
        return found;
    }

    /** Attaches the file and returns its device. If the file is attached already, returns the existing device. */
    LoopDevice attach(Path path, FileStatus image) throws VolumeException, InterruptedException {
        List<LoopDevice> found = of(path, image);
        return found.isEmpty() ? attachNew(path, image) : usable(path, found);
    }

    private static LoopDevice usable(Path path, List<LoopDevice> found) throws VolumeException {
        LoopDevice first = found.get(0);
        if (found.size() > 1 || first.backingMode() != LoopDevice.BackingMode.WHOLE) {
            List<String> names = found.stream().map(LoopDevice::path).toList();
            throw VolumeException.clean(
                    IN_USE,
                    "the image " + path + " is attached to " + String.join(" and ", names)
                            + (found.size() > 1 ? ", which would damage it" : " in part or read-only")
                            + ": Mooring has not attached it; detach it (losetup -d " + String.join(" ", names) + ')');
        }
        return first;
    }

    private LoopDevice attachNew(Path path, FileStatus image) throws VolumeException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            CommandResult result =
                    commands.run(DeviceCommands.SHORT, "losetup", "--find", "--show", "--nooverlap", path.toString());
            if (result.succeeded()) {
                return verified(path, image, result.output().strip());
            }
            boolean raced = result.errorOrOutput().contains("busy")
                    || result.errorOrOutput().contains("temporarily unavailable");
            if (!raced || attempt == ATTEMPTS) {
                throw refused(path, result);
            }
        }
    }

    /** Verifies the backing file, because the path may have been replaced before losetup opened it. */
    private LoopDevice verified(Path path, FileStatus image, String device)
            throws VolumeException, InterruptedException {
        Optional<LoopDevice> loop = at(device);
        if (loop.isPresent() && loop.get().isBackedBy(image)) {
            return loop.get();
        }
        if (loop.isPresent()) {
            commands.run(DeviceCommands.SHORT, "losetup", "--detach", device);
        }
        throw VolumeException.uncertain(
                "AttachFailed",
                "the image " + path + " is not attached: " + device + " is backed by "
                        + (loop.isEmpty() ? "no" : "another") + " file; retrying",
                loop.map(LoopDevice::toString).orElse(""));
    }

    private static VolumeException refused(Path path, CommandResult result) {
        String errorOutput = result.errorOrOutput();
        String message = "the image " + path + " cannot be attached to a loop device: ";
        String noNodes = "give Mooring the machine's devices (docker run --privileged -v /dev:/dev)";
        if (errorOutput.contains("find an unused loop device")) {
            message += "none is free; load the kernel module (modprobe loop), or " + noNodes;
        } else if (errorOutput.contains("No such file or directory") || errorOutput.contains("No such device")) {
            message += "the kernel has one, but it is missing in /dev; " + noNodes;
        } else if (errorOutput.contains("Operation not permitted") || errorOutput.contains("Permission denied")) {
            message += "not permitted; Mooring must run as root, with the capability CAP_SYS_ADMIN";
        } else {
            return new VolumeException(FailureState.UNCERTAIN, "AttachFailed", message + errorOutput, errorOutput);
        }
        return new VolumeException(FailureState.CLEAN, NO_LOOP_DEVICES, message, errorOutput);
    }

    /** Grows the device to the size of its backing file and returns the new size. */
    long updateCapacity(LoopDevice loop, FileStatus image) throws VolumeException, InterruptedException {
        if (sizeOf(loop) != image.size() / SECTOR * SECTOR) {
            commands.output(DeviceCommands.SHORT, "losetup", "--set-capacity", loop.path());
        }
        return sizeOf(loop);
    }

    /** Detaches the device; it has no backing file when this returns. */
    void detach(LoopDevice loop) throws VolumeException, InterruptedException {
        CommandResult result = commands.run(DeviceCommands.SHORT, "losetup", "--detach", loop.path());
        Optional<LoopDevice> now = at(loop.path());
        if (now.isPresent()
                && now.get().inode() == loop.inode()
                && now.get().backingDevice().equals(loop.backingDevice())) {
            throw VolumeException.uncertain(
                    IN_USE,
                    "device is still in use: " + loop.path() + " is open in another process or container; it is"
                            + " detached when that closes it",
                    result.errorOrOutput());
        }
    }
}
