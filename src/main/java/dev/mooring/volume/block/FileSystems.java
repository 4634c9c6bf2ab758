package dev.mooring.volume.block;

import dev.mooring.volume.Progress;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.process.CommandResult;
import dev.mooring.volume.process.CommandRunner;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * File systems on devices, by the machine's own programs. A device is formatted only if two ways of looking at it agree that it is empty:
 * blkid knows nothing of what it holds, and its beginning and its end, where every known format leaves traces, are zero. Nothing is ever
 * shrunk or discarded. Stateless; any thread, but never two for one device; blocks.
 */
public final class FileSystems {
    public static final String NOT_EMPTY = "NotEmpty";
    public static final String DAMAGED = "FileSystemDamaged";
    public static final String NOT_SUPPORTED = "FileSystemNotSupported";

    /** The kernel does not let this process grow it while it is mounted. */
    public static final String NOT_PERMITTED = "GrowthNotPermitted";

    private static final Set<String> EXT = Set.of("ext2", "ext3", "ext4");
    private static final String XFS = "xfs";

    /** How much of either end must be zero. */
    private static final long LOOKED_AT = 4L * 1024 * 1024;

    /** Smaller ones get smaller blocks, or they would have no room for a journal. */
    private static final long LARGE_BLOCKS_FROM = 64L * 1024 * 1024;

    private static final int BLKID_NOTHING = 2;
    private static final int BLKID_AMBIVALENT = 8;
    private static final int FSCK_DAMAGED = 4;

    private final DeviceCommands commands;

    public FileSystems(CommandRunner runner) {
        this.commands = new DeviceCommands(runner);
    }

    /** Those that can be made. */
    public static boolean knows(String fsType) {
        return isExt(fsType) || fsType.equals(XFS);
    }

    private static boolean isExt(String fsType) {
        return EXT.contains(fsType);
    }

    /**
     * What a device holds, in blkid's words: ext4, xfs, crypto_LUKS. Nothing if blkid knows nothing of it, which does not mean that it is
     * empty.
     *
     * @throws VolumeException with {@link #NOT_EMPTY} if it holds partitions, or what looks like several things at once
     */
    public Optional<String> typeOf(String device) throws VolumeException, InterruptedException {
        CommandResult result = commands.run(DeviceCommands.SHORT, "blkid", "-p", "-o", "export", device);
        if (result.exit() == BLKID_AMBIVALENT) {
            throw notEmpty(device, "it holds the marks of more than one file system", result.words());
        }
        if (result.exit() == BLKID_NOTHING) {
            // It answers the same, without a word, to a device it cannot open.
            sizeOf(device);
            return Optional.empty();
        }
        if (!result.succeeded()) {
            throw DeviceCommands.failed("blkid -p " + device, result);
        }
        Optional<String> type = value(result.output(), "TYPE=");
        if (type.isEmpty()) {
            throw notEmpty(device, "it already contains unknown data, probably partitions", result.words());
        }
        return type;
    }

    /** In bytes. */
    public long sizeOf(String device) throws VolumeException, InterruptedException {
        return number(commands.output(DeviceCommands.SHORT, "blockdev", "--getsize64", device), device);
    }

    /** As the next one, for devices that nothing can be remembered of. */
    public void formatIfEmpty(String device, String fsType, Progress progress)
            throws VolumeException, InterruptedException {
        formatIfEmpty(device, fsType, FormatMark.NONE, progress);
    }

    /**
     * Afterwards the device holds such a file system: it did already, or it was empty, or an earlier formatting of it was cut off.
     *
     * @throws VolumeException with {@link #NOT_EMPTY} if it holds anything else; then it has not been touched
     */
    public void formatIfEmpty(String device, String fsType, FormatMark mark, Progress progress)
            throws VolumeException, InterruptedException {
        if (!knows(fsType)) {
            throw VolumeException.clean(
                    NOT_SUPPORTED, "fsType \"" + fsType + "\" is not supported: use ext4, ext3, ext2 or xfs");
        }
        Optional<String> type = typeOf(device);
        if (type.isPresent() && !type.get().equals(fsType)) {
            throw notEmpty(
                    device, "failed to mount the volume as \"" + fsType + "\", it already contains " + type.get(), "");
        }
        boolean halfMade = mark.begun();
        if (type.isPresent()) {
            if (!halfMade || isWhole(device, fsType)) {
                mark.end();
                return;
            }
        } else if (!halfMade) {
            mustBeZero(device);
            mark.begin();
        }
        progress.step(
                "Formatting",
                "formatting " + device + " as " + fsType
                        + (halfMade ? " again: the first time was cut off" : ": it is empty"));
        make(device, fsType, halfMade);
        mark.end();
    }

    /** No file system has a part that is zero at both ends. */
    private void mustBeZero(String device) throws VolumeException, InterruptedException {
        long size = sizeOf(device);
        if (size <= 0) {
            throw VolumeException.clean("NoSize", device + " has no size: is its disk or image there?");
        }
        long part = Math.min(size, LOOKED_AT);
        for (long from : new long[] {0, size - part}) {
            CommandResult result = commands.run(
                    DeviceCommands.SHORT, "cmp", "-i", from + ":0", "-n", Long.toString(part), device, "/dev/zero");
            if (result.exit() == 1) {
                throw notEmpty(device, "it holds data of a kind that blkid does not know", result.words());
            }
            if (!result.succeeded()) {
                throw DeviceCommands.failed("cmp " + device + " /dev/zero", result);
            }
        }
    }

    /** Whether a formatting of which only the last word is missing has come to its end. Changes nothing. */
    private boolean isWhole(String device, String fsType) throws VolumeException, InterruptedException {
        CommandResult result = isExt(fsType)
                ? commands.run(DeviceCommands.LONG, "e2fsck", "-f", "-n", device)
                : commands.run(DeviceCommands.LONG, "xfs_repair", "-n", device);
        return result.succeeded();
    }

    private void make(String device, String fsType, boolean halfMade) throws VolumeException, InterruptedException {
        List<String> arguments = new ArrayList<>();
        arguments.add("-q");
        if (isExt(fsType)) {
            // What is written lazily stays a hole in an image. Without discard, what lies between the two ends is
            // kept.
            arguments.addAll(List.of("-m", "0", "-E", "nodiscard,lazy_itable_init=1,lazy_journal_init=1"));
            if (sizeOf(device) >= LARGE_BLOCKS_FROM) {
                // With smaller blocks it could not grow as far.
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
     * Repairs what can be repaired without asking. For xfs there is nothing to do: it repairs itself when mounted.
     *
     * @throws VolumeException with {@link #DAMAGED} if a person has to decide; then it must not be mounted
     */
    public void check(String device, String fsType) throws VolumeException, InterruptedException {
        if (isExt(fsType)) {
            mustBeWhole(device, commands.run(DeviceCommands.LONG, "e2fsck", "-p", device));
        }
    }

    private static void mustBeWhole(String device, CommandResult result) throws VolumeException {
        if (result.exit() < FSCK_DAMAGED) {
            return;
        }
        if (result.words().contains("is in use") || result.words().contains("is mounted")) {
            throw new VolumeException(
                    Left.NOTHING,
                    "DeviceInUse",
                    device + " cannot be checked, somebody else uses it: unmount it there (findmnt " + device + ")",
                    result.words());
        }
        throw new VolumeException(
                Left.NOTHING,
                DAMAGED,
                "'fsck' found errors on device " + device
                        + " but could not correct them: it is not mounted. Make a copy of"
                        + " it, then repair it by hand: e2fsck -f " + device + ". It is tried again by itself",
                result.words());
    }

    /** Whether it is smaller than its device, by more than what cannot be used anyway. */
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

    /** Grows one that is not mounted to the size of its device. xfs cannot: it is grown after it was mounted. */
    public void growUnmounted(String device, String fsType) throws VolumeException, InterruptedException {
        if (isExt(fsType)) {
            // resize2fs insists on a thorough check.
            mustBeWhole(device, commands.run(DeviceCommands.LONG, "e2fsck", "-f", "-p", device));
            commands.output(DeviceCommands.LONG, "resize2fs", device);
        }
    }

    /**
     * Grows a mounted one to the size of its device.
     *
     * @return the size of the device
     * @throws VolumeException with {@link #NOT_PERMITTED} if it can only grow while it is not mounted
     */
    public long grow(String device, String fsType, Path mounted) throws VolumeException, InterruptedException {
        CommandResult result = isExt(fsType)
                ? commands.run(DeviceCommands.LONG, "resize2fs", device)
                : commands.run(DeviceCommands.LONG, "xfs_growfs", "-d", mounted.toString());
        if (!result.succeeded()) {
            String words = result.words();
            if (words.contains("Permission denied to resize") || words.contains("Operation not permitted")) {
                throw new VolumeException(
                        Left.NOTHING,
                        NOT_PERMITTED,
                        "the kernel does not let this process grow a mounted " + fsType
                                + " (it wants the capability CAP_SYS_RESOURCE): it grows when it is mounted the next"
                                + " time",
                        words);
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
                    "Expected a number of bytes or blocks of " + device + ", but found \"" + text.strip() + '"');
        }
    }

    private static VolumeException notEmpty(String device, String found, String raw) {
        return new VolumeException(
                Left.NOTHING,
                NOT_EMPTY,
                found + ". Nothing on " + device
                        + " was changed. If its data is not needed any more, empty it: wipefs -a " + device
                        + "; dd if=/dev/zero of=" + device + " bs=4M count=1",
                raw);
    }
}
