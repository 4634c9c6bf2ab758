package dev.mooring.node.discover;

import dev.mooring.volume.path.MountTable;
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
 * Looks through configured directories. Reads only, follows links to nothing but block devices, and does not touch file systems of other
 * machines: a dead server would keep it for ever. May wait for a disk, so it belongs on a thread of its own. Used once.
 */
final class DirectoryScan {
    /** More than one machine has disks. A directory with more entries is most likely another one than was meant. */
    static final int MAX_ENTRIES = 4096;

    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;
    private static final Path BLOCK_DEVICES = Path.of("/sys/dev/block");

    /** The kernel's unit, whatever the device's is. */
    private static final long SECTOR_BYTES = 512;

    private final MountTable mounts;
    private final List<Found> found = new ArrayList<>();
    private final Set<Path> looked = new HashSet<>();
    private final Set<Path> unclear = new HashSet<>();
    private final List<String> problems = new ArrayList<>();

    DirectoryScan(MountTable mounts) {
        this.mounts = mounts;
    }

    Survey of(List<Directory> directories) {
        for (Directory each : directories) {
            look(each);
        }
        return new Survey(found, looked, unclear, problems);
    }

    /** The type of the file system a path is on, if that is one whose data is on another machine. */
    static Optional<String> remoteType(MountTable mounts, Path path) {
        return mounts.holding(path).filter(MountTable.Mount::isRemote).map(MountTable.Mount::type);
    }

    private void look(Directory directory) {
        Path path = directory.directory();
        Optional<String> remote = remoteType(mounts, path);
        if (remote.isPresent()) {
            problems.add("Expected the discovery directory " + path + " to be on a disk of this node, but it is on "
                    + remote.get()
                    + "; nothing in it is offered. Use an nfs volume or the provisioner mooring.dev/nfs.");
            return;
        }
        int entries = 0;
        try {
            if (!path.toRealPath().equals(path)) {
                problems.add("Expected the discovery directory " + path + " to be no link, but it leads to "
                        + path.toRealPath() + "; nothing in it is offered. Configure that path instead.");
                return;
            }
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
                for (Path entry : stream) {
                    if (++entries > MAX_ENTRIES) {
                        problems.add("Expected at most " + MAX_ENTRIES + " entries in the discovery directory " + path
                                + ", but there are more; the others are not offered.");
                        return;
                    }
                    lookAt(entry, directory);
                }
            }
            looked.add(path);
        } catch (IOException | DirectoryIteratorException e) {
            problems.add("Expected to read the discovery directory " + path + ", but found " + e
                    + "; its volumes are left as they are until it can be read.");
        }
    }

    private void lookAt(Path entry, Directory directory) {
        if (!isOffered(entry.getFileName().toString())) {
            return;
        }
        Optional<String> remote = remoteType(mounts, entry);
        if (remote.isPresent()) {
            problems.add("Expected " + entry + " to be on a disk of this node, but " + remote.get()
                    + " is mounted there; it is not offered.");
            return;
        }
        try {
            recognize(entry, directory);
        } catch (NumberFormatException e) {
            unclear.add(entry);
            problems.add("Expected the kernel to know the size of " + entry + ", but it said: " + e.getMessage());
        } catch (NoSuchFileException e) {
            // Gone since the directory was read, or a link to nothing. As if it had never been there.
            return;
        } catch (IOException e) {
            unclear.add(entry);
            problems.add("Expected to find out what " + entry + " is, but found " + e + "; it is left as it is.");
        }
    }

    /** Hidden ones are ours or somebody's bookkeeping; others with strange names cannot be written into a volume. */
    private static boolean isOffered(String name) {
        return !name.startsWith(".")
                && !name.equals("lost+found")
                && name.chars().noneMatch(Character::isISOControl);
    }

    private void recognize(Path entry, Directory directory) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (attributes.isDirectory()) {
            boolean mounted = mounts.isMountPoint(entry);
            if (mounted || !directory.onlyMountPoints()) {
                Found.Form form = mounted ? Found.Form.MOUNTED : Found.Form.PLAIN;
                add(new Found(entry, directory, form, Files.getFileStore(entry).getTotalSpace()));
            }
        } else if (!attributes.isRegularFile() && isBlockDevice(entry)) {
            add(new Found(entry, directory, Found.Form.DEVICE, deviceBytes(entry)));
        }
    }

    /** Asks the kernel and not the device, which may not answer, or not be for us to open. */
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

    private void add(Found entry) {
        if (entry.bytes() > 0) {
            found.add(entry);
        } else {
            unclear.add(entry.path());
            problems.add("Expected " + entry.path() + " to have a size, but it has none; it is not offered.");
        }
    }
}
