package dev.mooring.volume.path;

import com.sun.jna.Memory;

/** What the kernel knows of a file. {@code place} tells on which device and in which mount it is. Immutable. */
public record FileStatus(Type type, int permissions, int uid, int gid, long size, long allocated, Place place) {
    static final int BYTES = 256;

    private static final int TYPE_MASK = 0170000;
    private static final int PERMISSION_MASK = 07777;
    private static final int BLOCK = 512;
    private static final int HAS_MOUNT_ID = 0x1000;

    /** Basic facts and, where the kernel knows it (Linux 5.8), the mount. */
    static final int WANTED = 0x7ff | HAS_MOUNT_ID;

    /** What kind of file. */
    public enum Type {
        DIRECTORY("directory"),
        FILE("file"),
        LINK("symbolic link"),
        OTHER("special file");

        private final String words;

        Type(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    /** Where a file is. Two bind mounts of one device have the same device and different mounts; the mount is 0 where unknown. */
    public record Place(int major, int minor, long mount, long inode) {
        /** Whether it is the very same file, seen through whichever mount. */
        public boolean isSameFileAs(Place other) {
            return major == other.major && minor == other.minor && inode == other.inode;
        }

        boolean sharesMountWith(Place other) {
            return major == other.major && minor == other.minor && mount == other.mount;
        }
    }

    /** From the memory that {@code statx} has filled. */
    static FileStatus of(Memory statx) {
        int mode = statx.getShort(28) & 0xffff;
        long mount = (statx.getInt(0) & HAS_MOUNT_ID) == 0 ? 0 : statx.getLong(144);
        Type type = switch (mode & TYPE_MASK) {
            case 0040000 -> Type.DIRECTORY;
            case 0100000 -> Type.FILE;
            case 0120000 -> Type.LINK;
            default -> Type.OTHER;
        };
        return new FileStatus(
                type,
                mode & PERMISSION_MASK,
                statx.getInt(20),
                statx.getInt(24),
                statx.getLong(40),
                statx.getLong(48) * BLOCK,
                new Place(statx.getInt(136), statx.getInt(140), mount, statx.getLong(32)));
    }

    /** From the same memory. */
    static int names(Memory statx) {
        return statx.getInt(16);
    }

    public boolean isDirectory() {
        return type == Type.DIRECTORY;
    }

    public boolean isFile() {
        return type == Type.FILE;
    }
}
