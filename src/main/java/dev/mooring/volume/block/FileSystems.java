package dev.mooring.volume.block;

import dev.mooring.host.CommandResult;
import dev.mooring.host.CommandRunner;
import dev.mooring.model.EventReasons;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Creates, checks and grows file systems with the machine's own programs. A device is formatted only if two checks
 * agree that it is empty: blkid recognizes nothing, and the beginning and end of the device, where every known format
 * leaves traces, are zero. Nothing is ever shrunk or discarded. Stateless; thread-safe for different devices; blocks.
 */
public final class FileSystems {
    public static final String NOT_EMPTY = "NotEmpty";
    public static final String DAMAGED = "FileSystemDamaged";
    public static final String NOT_SUPPORTED = "FileSystemNotSupported";

    /** The kernel does not let this process grow the file system while it is mounted. */
    public static final String NOT_PERMITTED = "GrowthNotPermitted";

    private static final Set<String> EXT = Set.of("ext2", "ext3", "ext4");
    private static final String XFS = "xfs";

    /** Number of bytes at each end of an empty device that must be zero. */
    private static final long PROBED_BYTES = 4L * 1024 * 1024;

    /** Smaller devices get smaller blocks, because they would have no room for a journal otherwise. */
    private static final long LARGE_BLOCKS_FROM = 64L * 1024 * 1024;

    private static final int BLKID_NOTHING = 2;
    private static final int BLKID_AMBIVALENT = 8;
    private static final int FSCK_DAMAGED = 4;

    private final DeviceCommands commands;

    public FileSystems(CommandRunner runner) {
        this.commands = new DeviceCommands(runner);
    }

    /** Returns whether this file system type can be created. */
    public static boolean isSupported(String fsType) {
        return isExt(fsType) || fsType.equals(XFS);
    }

    private static boolean isExt(String fsType) {
        return EXT.contains(fsType);
    }

    /**
     * Returns what a device holds, as reported by blkid: ext4, xfs, crypto_LUKS. Empty if blkid recognizes nothing,
     * which does not mean that the device is empty.
     *
     * @throws VolumeException with {@link #NOT_EMPTY} if it holds partitions or an ambiguous content
     */
    public Optional<String> typeOf(String device) throws VolumeException, InterruptedException {
        CommandResult result = commands.run(DeviceCommands.SHORT, "blkid", "-p", "-o", "export", device);
        if (result.exitCode() == BLKID_AMBIVALENT) {
            throw notEmpty(device, "it contains signatures of more than one file system", result.errorOrOutput());
        }
        if (result.exitCode() == BLKID_NOTHING) {
            // blkid gives the same silent result for a device that it cannot open.
            sizeOf(device);
            return Optional.empty();
        }
        if (!result.succeeded()) {
            throw DeviceCommands.failed("blkid -p " + device, result);
        }
        Optional<String> type = value(result.output(), "TYPE=");
        if (type.isEmpty()) {
            throw notEmpty(device, "it already contains unknown data, probably partitions", result.errorOrOutput());
        }
        return type;
    }

    /** Returns the size in bytes. */
    public long sizeOf(String device) throws VolumeException, InterruptedException {
        return number(commands.output(DeviceCommands.SHORT, "blockdev", "--getsize64", device), device);
    }

    /** Formats a device without a {@link FormatMarker}. */
    public void formatIfEmpty(String device, String fsType, OperationProgress progress)
            throws VolumeException, InterruptedException {
        formatIfEmpty(device, fsType, FormatMarker.NONE, progress);
    }

    /**
     * Makes sure that the device holds a file system of this type. Formats the device if it is empty or if an earlier
     * formatting was interrupted.
     *
     * @throws VolumeException with {@link #NOT_EMPTY} if it holds anything else; the device is unchanged
     */
    public void formatIfEmpty(String device, String fsType, FormatMarker marker, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (!isSupported(fsType)) {
            throw VolumeException.clean(
                    NOT_SUPPORTED, "fsType \"" + fsType + "\" is not supported: use ext4, ext3, ext2 or xfs");
        }
        Optional<String> type = typeOf(device);
        if (type.isPresent() && !type.get().equals(fsType)) {
            throw notEmpty(
                    device, "failed to mount the volume as \"" + fsType + "\", it already contains " + type.get(), "");
        }
        boolean halfMade = marker.isStarted();
        if (type.isPresent()) {
            if (!halfMade || isFormatComplete(device, fsType)) {
                marker.end();
                return;
            }
        } else if (!halfMade) {
            requireZeroed(device);
            marker.begin();
        }
        progress.report(
                EventReasons.FORMATTING,
                "formatting " + device + " as " + fsType
                        + (halfMade ? " again: the first attempt was interrupted" : ": it is empty"));
        make(device, fsType, halfMade);
        marker.end();
    }

    /** Requires that both ends of the device are zero; every file system writes to at least one of them. */
    private void requireZeroed(String device) throws VolumeException, InterruptedException {
        long size = sizeOf(device);
        if (size <= 0) {
            throw VolumeException.clean("NoSize", device + " has no size: check that its disk or image exists");
        }
        long part = Math.min(size, PROBED_BYTES);
        for (long from : new long[] {0, size - part}) {
            CommandResult result = commands.run(
                    DeviceCommands.SHORT, "cmp", "-i", from + ":0", "-n", Long.toString(part), device, "/dev/zero");
            if (result.exitCode() == 1) {
                throw notEmpty(device, "it contains data that blkid does not recognize", result.errorOrOutput());
            }
            if (!result.succeeded()) {
                throw DeviceCommands.failed("cmp " + device + " /dev/zero", result);
            }
        }
    }

    /**
     * Returns whether an interrupted formatting was in fact complete, except for removing the marker. Changes nothing.
     */
    private boolean isFormatComplete(String device, String fsType) throws VolumeException, InterruptedException {
        CommandResult result = isExt(fsType)
                ? commands.run(DeviceCommands.LONG, "e2fsck", "-f", "-n", device)
                : commands.run(DeviceCommands.LONG, "xfs_repair", "-n", device);
        return result.succeeded();
    }

    private void make(String device, String fsType, boolean halfMade) throws VolumeException, InterruptedException {
        List<String> arguments = new ArrayList<>();
        arguments.add("-q");
        if (isExt(fsType)) {
            // Lazily written areas stay holes in the image. nodiscard keeps the data between the two ends.
            arguments.addAll(List.of("-m", "0", "-E", "nodiscard,lazy_itable_init=1,lazy_journal_init=1"));
            if (sizeOf(device) >= LARGE_BLOCKS_FROM) {
                // With smaller blocks the file system could not grow as far.
                arguments.addAll(List.of("-b", "4096"));
            }
        } else {
            arguments.add("-K");
        }
        if (halfMade) {
            arguments.add(isExt(fsType) ? "-F" : "-f");
        }
        arguments.add(device);
        commands.output(DeviceCommands.LONG, "mkfs." + fsType, arguments.toArray(String[]::new));
    }

    /**
     * Checks the file system and makes all repairs that need no decision. Does nothing for xfs, which repairs itself on
     * mount.
     *
     * @throws VolumeException with {@link #DAMAGED} if the repair needs a person; the file system must not be mounted
     */
    public void check(String device, String fsType) throws VolumeException, InterruptedException {
        if (isExt(fsType)) {
            requireUndamaged(device, commands.run(DeviceCommands.LONG, "e2fsck", "-p", device));
        }
    }

    private static void requireUndamaged(String device, CommandResult result) throws VolumeException {
        if (result.exitCode() < FSCK_DAMAGED) {
            return;
        }
        if (result.errorOrOutput().contains("is in use")
                || result.errorOrOutput().contains("is mounted")) {
            throw new VolumeException(
                    FailureState.CLEAN,
                    "DeviceInUse",
                    device + " cannot be checked: it is in use; unmount it (findmnt " + device + ")",
                    result.errorOrOutput());
        }
        throw new VolumeException(
                FailureState.CLEAN,
                DAMAGED,
                "'fsck' found errors on device " + device
                        + " but could not correct them: it is not mounted. Make a copy of"
                        + " it, then repair it manually: e2fsck -f " + device + ". Mooring retries",
                result.errorOrOutput());
    }

    /** Returns whether the file system is smaller than its device, ignoring space that it cannot use. */
    public boolean needsGrowth(String device, String fsType) throws VolumeException, InterruptedException {
        long block;
        long count;
        if (isExt(fsType)) {
            String text = commands.output(DeviceCommands.SHORT, "dumpe2fs", "-h", device);
            count = number(value(text, "Block count:").orElse(""), device);
            block = number(value(text, "Block size:").orElse(""), device);
        } else if (fsType.equals(XFS)) {
            String text = commands.output(
                    DeviceCommands.SHORT, "xfs_db", "-r", "-c", "sb 0", "-c", "print dblocks blocksize", device);
            count = number(value(text, "dblocks =").orElse(""), device);
            block = number(value(text, "blocksize =").orElse(""), device);
        } else {
            return false;
        }
        return sizeOf(device) / block > count;
    }

    /**
     * Grows an unmounted file system to the size of its device. Does nothing for xfs, which can only grow while
     * mounted.
     */
    public void growUnmounted(String device, String fsType) throws VolumeException, InterruptedException {
        if (isExt(fsType)) {
            // resize2fs requires a full check first.
            requireUndamaged(device, commands.run(DeviceCommands.LONG, "e2fsck", "-f", "-p", device));
            commands.output(DeviceCommands.LONG, "resize2fs", device);
        }
    }

    /**
     * Grows a mounted file system to the size of its device.
     *
     * @return the size of the device
     * @throws VolumeException with {@link #NOT_PERMITTED} if it can only grow while unmounted
     */
    public long grow(String device, String fsType, Path mounted) throws VolumeException, InterruptedException {
        CommandResult result = isExt(fsType)
                ? commands.run(DeviceCommands.LONG, "resize2fs", device)
                : commands.run(DeviceCommands.LONG, "xfs_growfs", "-d", mounted.toString());
        if (!result.succeeded()) {
            String errorOutput = result.errorOrOutput();
            if (errorOutput.contains("Permission denied to resize")
                    || errorOutput.contains("Operation not permitted")) {
                throw new VolumeException(
                        FailureState.CLEAN,
                        NOT_PERMITTED,
                        "the kernel does not permit this process to expand a mounted " + fsType
                                + " (the capability CAP_SYS_RESOURCE is required): it is expanded at the next mount",
                        errorOutput);
            }
            throw DeviceCommands.failed(isExt(fsType) ? "resize2fs " + device : "xfs_growfs -d " + mounted, result);
        }
        return sizeOf(device);
    }

    private static Optional<String> value(String output, String key) {
        return output.lines()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).strip())
                .filter(value -> !value.isEmpty())
                .findFirst();
    }

    private static long number(String text, String device) throws VolumeException {
        try {
            return Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            throw VolumeException.clean(
                    DeviceCommands.COMMAND_FAILED,
                    "Number of bytes or blocks of " + device + " is invalid: \"" + text.strip() + '"');
        }
    }

    private static VolumeException notEmpty(String device, String found, String raw) {
        return new VolumeException(
                FailureState.CLEAN,
                NOT_EMPTY,
                found + ". Nothing on " + device
                        + " was changed. If its data is not needed any more, empty it: wipefs -a " + device
                        + "; dd if=/dev/zero of=" + device + " bs=4M count=1",
                raw);
    }
}
