package dev.mooring.volume.host;

/** What there can be at a path once all symbolic links are followed. */
public enum FileKind {
    DIRECTORY("a directory"),
    FILE("a regular file"),
    SOCKET("a socket"),
    CHARACTER_DEVICE("a character device"),
    BLOCK_DEVICE("a block device"),
    PIPE("a named pipe"),
    UNKNOWN("something of no kind that is known"),
    /** Nothing, and something can be made there. */
    MISSING("nothing"),
    /** Nothing, and nothing can be made there: the way to it is broken. */
    BROKEN("a way that ends before");

    private static final int TYPE_MASK = 0170000;

    private final String words;

    FileKind(String words) {
        this.words = words;
    }

    /** From {@code st_mode}. */
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

    @Override
    public String toString() {
        return words;
    }
}
