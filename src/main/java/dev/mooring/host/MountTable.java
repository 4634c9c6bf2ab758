package dev.mooring.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The mounts of this machine, from {@code /proc/self/mountinfo}, which can be read without accessing paths that may
 * hang. Later entries cover earlier ones. Immutable.
 */
public record MountTable(List<Mount> mounts) {
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");

    /** File systems that do not depend on another machine or a program. */
    private static final Set<String> LOCAL = Set.of(
            "ext2",
            "ext3",
            "ext4",
            "xfs",
            "btrfs",
            "tmpfs",
            "ramfs",
            "overlay",
            "zfs",
            "f2fs",
            "hostfs",
            "bcachefs",
            "jfs",
            "reiserfs",
            "nilfs2",
            "vfat",
            "exfat",
            "ntfs3",
            "rootfs",
            "devtmpfs",
            "squashfs",
            "erofs",
            "aufs");

    /** Network file systems. (Some types are neither known to be local nor in this list.) */
    private static final Set<String> REMOTE = Set.of(
            "nfs",
            "nfs4",
            "cifs",
            "smb3",
            "smbfs",
            "ncpfs",
            "9p",
            "afs",
            "ceph",
            "coda",
            "glusterfs",
            "lustre",
            "gfs2",
            "ocfs2",
            "beegfs",
            "orangefs",
            "autofs",
            "fuse");

    /** Prefix of FUSE file systems, which can depend on anything. */
    private static final String FUSE = "fuse.";

    /**
     * One line of the table.
     *
     * @param id mount id; 0 if unknown
     * @param parent id of the parent mount
     * @param device major:minor
     * @param root the directory of the file system that is visible at {@code point}
     * @param point mount point; set even if that directory has been removed
     * @param options options of this mount and then of its file system; {@code ro} if either is read-only
     */
    public record Mount(
            int id,
            int parent,
            String device,
            String root,
            String point,
            List<String> options,
            String type,
            String source) {
        public Mount {
            options = List.copyOf(options);
        }

        public Mount(String device, String root, String point, String type, String source) {
            this(0, 0, device, root, point, List.of("rw"), type, source);
        }

        /** Returns whether this process may access the mount; any other may hang and needs a child process. */
        public boolean isLocal() {
            return LOCAL.contains(type);
        }

        /** Returns whether the mount is known to depend on another machine or a program. */
        public boolean isRemote() {
            return REMOTE.contains(type) || type.startsWith(FUSE);
        }

        public boolean isReadOnly() {
            return options.contains("ro");
        }
    }

    public MountTable {
        mounts = List.copyOf(mounts);
    }

    /** Reads the current table. */
    public static MountTable read() throws IOException {
        return read(MOUNTINFO);
    }

    /** Reads a table from a file. */
    public static MountTable read(Path mountinfo) throws IOException {
        // Not readString: a mount point that is not valid text must not fail the whole table.
        return parse(new String(Files.readAllBytes(mountinfo), StandardCharsets.UTF_8));
    }

    /** Parses a table, skipping invalid lines. */
    public static MountTable parse(String mountinfo) {
        List<Mount> mounts = new ArrayList<>();
        MountInfoParser line = new MountInfoParser(mountinfo);
        int from = 0;
        while (from < mountinfo.length()) {
            int newline = mountinfo.indexOf('\n', from);
            int end = newline < 0 ? mountinfo.length() : newline;
            line.read(from, end).ifPresent(mounts::add);
            from = end + 1;
        }
        return new MountTable(mounts);
    }

    /** Returns the mount that contains a path without links. */
    public Mount of(Path absolute) {
        return findMountOf(absolute).orElseThrow(() -> new IllegalStateException("No mount contains " + absolute));
    }

    /**
     * Returns the mount that contains a path; empty if there is none, as for a process that does not see the root
     * directory.
     */
    public Optional<Mount> findMountOf(Path absolute) {
        String path = absolute.toString();
        Mount found = null;
        for (Mount each : mounts) {
            if (isAtOrBelow(path, each.point())
                    && (found == null || each.point().length() >= found.point().length())) {
                found = each;
            }
        }
        return Optional.ofNullable(found);
    }

    /** Returns whether a path is in /dev itself, not in a mount below it. */
    public boolean isInDev(Path absolute) {
        return findMountOf(absolute)
                .filter(each -> each.type().equals("devtmpfs") || each.point().equals("/dev"))
                .isPresent();
    }

    /** Returns whether the path's mount and all mounts on the way to it are local. */
    public boolean isLocalPath(Path absolute) {
        String path = absolute.toString();
        for (Mount each : mounts) {
            if (!each.isLocal() && isAtOrBelow(path, each.point())) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether something is mounted at exactly this path. */
    public boolean isMountPoint(Path absolute) {
        return !allAt(absolute).isEmpty();
    }

    /** Returns the visible mount at exactly this path. */
    public Optional<Mount> at(Path absolute) {
        List<Mount> all = allAt(absolute);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /** Returns all mounts at exactly this path, the visible one last. */
    public List<Mount> allAt(Path absolute) {
        String path = absolute.toString();
        List<Mount> found = new ArrayList<>();
        for (Mount each : mounts) {
            if (each.point().equals(path)) {
                found.add(each);
            }
        }
        return stacked(found);
    }

    /** Orders mounts by their parents. The kernel's order is nearly always the same, but not guaranteed. */
    private static List<Mount> stacked(List<Mount> found) {
        for (int i = found.size() - 1; i > 0; i--) {
            int top = i;
            while (top > 0 && isUnderAnother(found.get(top), found.subList(0, i + 1))) {
                top--;
            }
            found.add(i, found.remove(top));
        }
        return found;
    }

    private static boolean isUnderAnother(Mount mount, List<Mount> others) {
        for (Mount each : others) {
            if (mount.id() != 0 && each.id() != mount.id() && each.parent() == mount.id()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the mounts below this path, excluding the path itself. */
    public List<Mount> below(Path absolute) {
        String path = absolute.toString();
        List<Mount> found = new ArrayList<>();
        for (Mount each : mounts) {
            if (!each.point().equals(path) && isAtOrBelow(each.point(), path)) {
                found.add(each);
            }
        }
        return found;
    }

    private static boolean isAtOrBelow(String path, String above) {
        return above.equals("/")
                || (path.startsWith(above) && (path.length() == above.length() || path.charAt(above.length()) == '/'));
    }
}
