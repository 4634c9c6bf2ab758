package dev.mooring.volume.hostpath;

import java.util.Arrays;
import java.util.Optional;

/**
 * Value of {@code hostPath.type}: the expected file and what is created if it is missing. Messages have the kubelet's
 * wording.
 */
enum HostPathType {
    UNSET("", FileKind.DIRECTORY, "a directory", MissingPathAction.DIRECTORY_IS_MADE),
    DIRECTORY_OR_CREATE("DirectoryOrCreate", FileKind.DIRECTORY, "a directory", MissingPathAction.DIRECTORY_IS_MADE),
    DIRECTORY("Directory", FileKind.DIRECTORY, "a directory", MissingPathAction.IS_AN_ERROR),
    FILE_OR_CREATE("FileOrCreate", FileKind.FILE, "a file", MissingPathAction.FILE_IS_MADE),
    FILE("File", FileKind.FILE, "a file", MissingPathAction.IS_AN_ERROR),
    SOCKET("Socket", FileKind.SOCKET, "a socket file", MissingPathAction.IS_AN_ERROR),
    CHARACTER_DEVICE("CharDevice", FileKind.CHARACTER_DEVICE, "a character device", MissingPathAction.IS_AN_ERROR),
    BLOCK_DEVICE("BlockDevice", FileKind.BLOCK_DEVICE, "a block device", MissingPathAction.IS_AN_ERROR);

    /** Action for a missing path. */
    enum MissingPathAction {
        IS_AN_ERROR,
        DIRECTORY_IS_MADE,
        FILE_IS_MADE
    }

    private final String text;
    private final FileKind kind;
    private final String description;
    private final MissingPathAction missing;

    HostPathType(String text, FileKind kind, String description, MissingPathAction missing) {
        this.text = text;
        this.kind = kind;
        this.description = description;
        this.missing = missing;
    }

    static Optional<HostPathType> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }

    boolean accepts(FileKind found) {
        return this == UNSET ? found.exists() : found == kind;
    }

    MissingPathAction missing() {
        return missing;
    }

    /** Returns the text for "is not …" messages. */
    String description() {
        return description;
    }
}
