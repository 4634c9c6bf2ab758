package dev.mooring.volume.hostpath;

/** Type of file at a path after following all symbolic links. */
public enum FileKind {
    DIRECTORY("a directory"),
    FILE("a regular file"),
    SOCKET("a socket"),
    CHARACTER_DEVICE("a character device"),
    BLOCK_DEVICE("a block device"),
    PIPE("a named pipe"),
    UNKNOWN("a file of unknown type"),
    /** Nothing exists, but it can be created. */
    MISSING("nothing"),
    /** Nothing exists and nothing can be created: the path leads through something that is not a directory. */
    BROKEN("a path that cannot be resolved");

    private static final int TYPE_MASK = 0170000;

    private final String description;

    FileKind(String description) {
        this.description = description;
    }

    /** Returns the kind for an {@code st_mode}. */
    static FileKind ofMode(int mode) {
        return switch (mode & TYPE_MASK) {
            case 0040000 -> DIRECTORY;
            case 0100000 -> FILE;
            case 0140000 -> SOCKET;
            case 0020000 -> CHARACTER_DEVICE;
            case 0060000 -> BLOCK_DEVICE;
            case 0010000 -> PIPE;
            default -> UNKNOWN;
        };
    }

    public boolean exists() {
        return this != MISSING && this != BROKEN;
    }

    public boolean isDevice() {
        return this == CHARACTER_DEVICE || this == BLOCK_DEVICE;
    }

    @Override
    public String toString() {
        return description;
    }
}
