package dev.mooring.node.volumemanager;

import dev.mooring.host.MountTable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Scans the configured directories. Read-only; follows symbolic links to block devices only, and does not touch remote
 * file systems, because a dead server would block it forever. May block on a disk, so it needs its own thread. Used
 * once.
 */
final class DirectoryScan {
    /** More than the disks of one machine. A directory with more entries is most likely misconfigured. */
    static final int MAX_ENTRIES = 4096;

    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;
    private static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");

    /** The kernel's unit, independent of the device's sector size. */
    private static final long SECTOR_BYTES = 512;

    private final MountTable mounts;
    private final List<DiscoveredEntry> found = new ArrayList<>();
    private final Set<Path> scanned = new HashSet<>();
    private final Set<Path> unreadable = new HashSet<>();
    private final List<String> problems = new ArrayList<>();

    DirectoryScan(MountTable mounts) {
        this.mounts = mounts;
    }

    ScanResult of(List<DiscoveryDirectory> directories) {
        for (DiscoveryDirectory each : directories) {
            scanDirectory(each);
        }
        return new ScanResult(found, scanned, unreadable, problems);
    }

    /** Returns the file system type of a path if it is remote. */
    static Optional<String> remoteType(MountTable mounts, Path path) {
        return mounts.findMountOf(path).filter(MountTable.Mount::isRemote).map(MountTable.Mount::type);
    }

    private void scanDirectory(DiscoveryDirectory directory) {
        Path path = directory.directory();
        Optional<String> remote = remoteType(mounts, path);
        if (remote.isPresent()) {
            problems.add("Discovery directory " + path + " is on " + remote.get()
                    + ", not on a disk of this node; nothing in it is offered. Use an nfs volume or the"
                    + " provisioner mooring.dev/nfs.");
            return;
        }
        int entries = 0;
        try {
            if (!path.toRealPath().equals(path)) {
                problems.add("Discovery directory " + path + " is a symbolic link to " + path.toRealPath()
                        + "; nothing in it is offered. Configure that path instead.");
                return;
            }
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
                for (Path entry : stream) {
                    if (++entries > MAX_ENTRIES) {
                        problems.add("Discovery directory " + path + " has more than " + MAX_ENTRIES
                                + " entries; the others are not offered.");
                        return;
                    }
                    scanEntry(entry, directory);
                }
            }
            scanned.add(path);
        } catch (IOException | DirectoryIteratorException e) {
            problems.add("Failed to read discovery directory " + path + ": " + e
                    + "; its volumes are left unchanged until it can be read.");
        }
    }

    private void scanEntry(Path entry, DiscoveryDirectory directory) {
        if (!isOffered(entry.getFileName().toString())) {
            return;
        }
        Optional<String> remote = remoteType(mounts, entry);
        if (remote.isPresent()) {
            problems.add("Cannot offer " + entry + ": " + remote.get()
                    + " is mounted there, which is not on a disk of this node.");
            return;
        }
        try {
            classify(entry, directory);
        } catch (NumberFormatException e) {
            unreadable.add(entry);
            problems.add("Failed to get the size of " + entry + " from the kernel: " + e.getMessage());
        } catch (NoSuchFileException e) {
            // Removed since the directory was read, or a dangling link; ignored.
            return;
        } catch (IOException e) {
            unreadable.add(entry);
            problems.add("Failed to inspect " + entry + ": " + e + "; it is left unchanged.");
        }
    }

    /**
     * Returns whether an entry may become a volume. Hidden entries are metadata; names with special characters cannot
     * be stored in a volume.
     */
    private static boolean isOffered(String name) {
        return !name.startsWith(".")
                && !name.equals("lost+found")
                && name.chars().noneMatch(Character::isISOControl);
    }

    private void classify(Path entry, DiscoveryDirectory directory) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (attributes.isDirectory()) {
            boolean mounted = mounts.isMountPoint(entry);
            if (mounted || !directory.onlyMountPoints()) {
                DiscoveredEntry.EntryType form =
                        mounted ? DiscoveredEntry.EntryType.MOUNTED : DiscoveredEntry.EntryType.PLAIN;
                add(new DiscoveredEntry(
                        entry, directory, form, Files.getFileStore(entry).getTotalSpace()));
            }
        } else if (!attributes.isRegularFile() && isBlockDevice(entry)) {
            add(new DiscoveredEntry(entry, directory, DiscoveredEntry.EntryType.DEVICE, deviceBytes(entry)));
        }
    }

    /** Returns the size from sysfs; opening the device may hang or be forbidden. */
    private static long deviceBytes(Path device) throws IOException {
        long number = (long) Files.getAttribute(device, "unix:rdev");
        long major = ((number >>> 8) & 0xfff) | ((number >>> 32) & ~0xfffL);
        long minor = (number & 0xff) | ((number >>> 12) & 0xffffff00L);
        Path size = BLOCK_DEVICES.resolve(major + ":" + minor).resolve("size");
        return Long.parseLong(Files.readString(size).trim()) * SECTOR_BYTES;
    }

    private static boolean isBlockDevice(Path entry) throws IOException {
        return ((int) Files.getAttribute(entry, "unix:mode") & FILE_TYPE) == BLOCK_DEVICE;
    }

    private void add(DiscoveredEntry entry) {
        if (entry.bytes() > 0) {
            found.add(entry);
        } else {
            unreadable.add(entry.path());
            problems.add("Cannot offer " + entry.path() + ": its size is 0.");
        }
    }
}
