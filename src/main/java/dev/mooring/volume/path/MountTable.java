package dev.mooring.volume.path;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What is mounted where, as the kernel tells in {@code /proc/self/mountinfo}: the only way to know it without touching a path that may
 * hang. Later entries lie over earlier ones. Immutable.
 */
public record MountTable(List<Mount> mounts) {
    private static final Path MOUNTINFO = Path.of("/proc/self/mountinfo");
    private static final int FIELDS_BEFORE_OPTIONS = 6;

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

    /** One line of it. {@code device} is major:minor, {@code root} the directory of the file system that is seen at {@code point}. */
    public record Mount(String device, String root, String point, String type, String source) {
        /** Whether this process may touch it; anything else may hang and belongs into a child process. */
        public boolean isLocal() {
            return LOCAL.contains(type);
        }
    }

    public MountTable {
        mounts = List.copyOf(mounts);
    }

    /** As it is now. */
    public static MountTable read() throws IOException {
        // Not readString: a mount point may be no text in the charset, and reading one must not fail for all.
        return parse(new String(Files.readAllBytes(MOUNTINFO), StandardCharsets.UTF_8));
    }

    public static MountTable parse(String mountinfo) {
        List<Mount> mounts = new ArrayList<>();
        for (String line : mountinfo.split("\n", -1)) {
            String[] fields = line.split(" ", -1);
            int dash = FIELDS_BEFORE_OPTIONS;
            while (dash < fields.length && !fields[dash].equals("-")) {
                dash++;
            }
            if (dash + 2 < fields.length) {
                mounts.add(new Mount(
                        fields[2],
                        unescaped(fields[3]),
                        unescaped(fields[4]),
                        fields[dash + 1],
                        unescaped(fields[dash + 2])));
            }
        }
        return new MountTable(mounts);
    }

    /** The mount that a path without links in it lies in. */
    public Mount of(Path absolute) {
        String path = absolute.toString();
        Mount found = null;
        for (Mount each : mounts) {
            if (isAtOrBelow(path, each.point())
                    && (found == null || each.point().length() >= found.point().length())) {
                found = each;
            }
        }
        if (found == null) {
            throw new IllegalStateException("Expected a mount that holds " + path + ", but found none");
        }
        return found;
    }

    /** Whether the mount it lies in and all that are passed on the way to it answer without another machine or program. */
    public boolean isLocalAllTheWay(Path absolute) {
        String path = absolute.toString();
        return mounts.stream().allMatch(each -> each.isLocal() || !isAtOrBelow(path, each.point()));
    }

    /** Whether something is mounted at exactly this path. */
    public boolean isMountPoint(Path absolute) {
        return mounts.stream().anyMatch(each -> each.point().equals(absolute.toString()));
    }

    /** What is mounted below this path, not counting the path itself. */
    public List<Mount> below(Path absolute) {
        String path = absolute.toString();
        return mounts.stream()
                .filter(each -> !each.point().equals(path) && isAtOrBelow(each.point(), path))
                .toList();
    }

    private static boolean isAtOrBelow(String path, String above) {
        return above.equals("/")
                || path.equals(above)
                || (path.startsWith(above) && path.charAt(above.length()) == '/');
    }

    /** Space, tab, newline and backslash stand there as three octal digits. */
    private static String unescaped(String field) {
        if (field.indexOf('\\') < 0) {
            return field;
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < field.length(); i++) {
            if (field.charAt(i) == '\\' && i + 3 < field.length()) {
                text.append((char) Integer.parseInt(field.substring(i + 1, i + 4), 8));
                i += 3;
            } else {
                text.append(field.charAt(i));
            }
        }
        return text.toString();
    }
}
