package dev.mooring.host;

import com.sun.jna.Memory;

/** Status of a file, with its device and mount in {@code location}. Immutable. */
public record FileStatus(
        FileType type, int permissions, int uid, int gid, long size, long allocated, FileLocation location) {
    static final int BYTES = 256;

    private static final int TYPE_MASK = 0170000;
    private static final int PERMISSION_MASK = 07777;
    private static final int BLOCK = 512;
    private static final int HAS_MOUNT_ID = 0x1000;

    /** statx mask: basic fields and, from Linux 5.8 on, the mount id. */
    static final int WANTED = 0x7ff | HAS_MOUNT_ID;

    /** File type. */
    public enum FileType {
        DIRECTORY("directory"),
        FILE("file"),
        LINK("symbolic link"),
        OTHER("special file");

        private final String description;

        FileType(String description) {
            this.description = description;
        }

        @Override
        public String toString() {
            return description;
        }
    }

    /**
     * Location of a file. Bind mounts of one device have the same device number and different mount ids; the mount id
     * is 0 if unknown.
     */
    public record FileLocation(int major, int minor, long mount, long inode) {
        /** Returns whether it is the same file, through any mount. */
        public boolean isSameFileAs(FileLocation other) {
            return major == other.major && minor == other.minor && inode == other.inode;
        }

        boolean sharesMountWith(FileLocation other) {
            return major == other.major && minor == other.minor && mount == other.mount;
        }
    }

    /** Reads a {@code statx} structure. */
    static FileStatus of(Memory statx) {
        int mode = statx.getShort(28) & 0xffff;
        long mount = (statx.getInt(0) & HAS_MOUNT_ID) == 0 ? 0 : statx.getLong(144);
        FileType type = switch (mode & TYPE_MASK) {
            case 0040000 -> FileType.DIRECTORY;
            case 0100000 -> FileType.FILE;
            case 0120000 -> FileType.LINK;
            default -> FileType.OTHER;
        };
        return new FileStatus(
                type,
                mode & PERMISSION_MASK,
                statx.getInt(20),
                statx.getInt(24),
                statx.getLong(40),
                statx.getLong(48) * BLOCK,
                new FileLocation(statx.getInt(136), statx.getInt(140), mount, statx.getLong(32)));
    }

    /** Reads the link count of a {@code statx} structure. */
    static int linkCount(Memory statx) {
        return statx.getInt(16);
    }

    public boolean isDirectory() {
        return type == FileType.DIRECTORY;
    }

    public boolean isFile() {
        return type == FileType.FILE;
    }
}
