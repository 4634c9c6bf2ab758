package dev.mooring.volume.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What is mounted where, as the kernel tells in {@code /proc/self/mountinfo}: the only way to know it without touching a path that may
 * hang. Later entries lie over earlier ones. Immutable.
 */
public record MountTable(List<Mount> mounts) {
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");

    /** File systems whose answers do not depend on another machine or a program. */
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

    /** File systems whose data is on another machine. (There are some that are neither these nor surely local.) */
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

    /** Behind a file system of a program may be anything. */
    private static final String FUSE = "fuse.";

    /**
     * One line of it.
     *
     * @param id the kernel's number for it; 0 if unknown
     * @param parent number of the mount it lies on
     * @param device major:minor
     * @param root the directory of the file system that is seen at {@code point}
     * @param point where; also if that directory has been removed since
     * @param options in force: those of this mount and then those of its file system; {@code ro} if either says so
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

        /** Whether this process may touch it; anything else may hang and belongs into a child process. */
        public boolean isLocal() {
            return LOCAL.contains(type);
        }

        /** Whether it is known to depend on another machine or on a program. */
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

    /** As it is now. */
    public static MountTable read() throws IOException {
        return read(MOUNTINFO);
    }

    /** As the kernel wrote it there. */
    public static MountTable read(Path mountinfo) throws IOException {
        // Not readString: a mount point may be no text in the charset, and reading one must not fail for all.
        return parse(new String(Files.readAllBytes(mountinfo), StandardCharsets.UTF_8));
    }

    /** What is no line of such a table is passed over. */
    public static MountTable parse(String mountinfo) {
        List<Mount> mounts = new ArrayList<>();
        MountLine line = new MountLine(mountinfo);
        int from = 0;
        while (from < mountinfo.length()) {
            int newline = mountinfo.indexOf('\n', from);
            int end = newline < 0 ? mountinfo.length() : newline;
            line.read(from, end).ifPresent(mounts::add);
            from = end + 1;
        }
        return new MountTable(mounts);
    }

    /** The mount that a path without links in it lies in. */
    public Mount of(Path absolute) {
        return holding(absolute)
                .orElseThrow(() ->
                        new IllegalStateException("Expected a mount that holds " + absolute + ", but found none"));
    }

    /** The same; nothing if there is none, as for a process that does not see the root of all paths. */
    public Optional<Mount> holding(Path absolute) {
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

    /** Whether the mount it lies in and all that are passed on the way to it answer without another machine or program. */
    public boolean isLocalAllTheWay(Path absolute) {
        String path = absolute.toString();
        for (Mount each : mounts) {
            if (!each.isLocal() && isAtOrBelow(path, each.point())) {
                return false;
            }
        }
        return true;
    }

    /** Whether something is mounted at exactly this path. */
    public boolean isMountPoint(Path absolute) {
        return !allAt(absolute).isEmpty();
    }

    /** Of what is mounted at exactly this path the one that is seen. */
    public Optional<Mount> at(Path absolute) {
        List<Mount> all = allAt(absolute);
        return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
    }

    /** Everything mounted at exactly this path, the one that is seen last. */
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

    /** The kernel's order is nearly always that of the stack; who lies on whom is the truth. */
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

    /** What is mounted below this path, not counting the path itself. */
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
