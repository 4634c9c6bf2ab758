package dev.mooring.volume.host;

import java.util.Arrays;
import java.util.Optional;

/** What a Pod expects at a {@code hostPath}, and what is made if there is nothing. The words are the kubelet's. */
enum HostPathType {
    UNSET("", FileKind.DIRECTORY, "a directory", Missing.DIRECTORY_IS_MADE),
    DIRECTORY_OR_CREATE("DirectoryOrCreate", FileKind.DIRECTORY, "a directory", Missing.DIRECTORY_IS_MADE),
    DIRECTORY("Directory", FileKind.DIRECTORY, "a directory", Missing.IS_AN_ERROR),
    FILE_OR_CREATE("FileOrCreate", FileKind.FILE, "a file", Missing.FILE_IS_MADE),
    FILE("File", FileKind.FILE, "a file", Missing.IS_AN_ERROR),
    SOCKET("Socket", FileKind.SOCKET, "a socket file", Missing.IS_AN_ERROR),
    CHARACTER_DEVICE("CharDevice", FileKind.CHARACTER_DEVICE, "a character device", Missing.IS_AN_ERROR),
    BLOCK_DEVICE("BlockDevice", FileKind.BLOCK_DEVICE, "a block device", Missing.IS_AN_ERROR);

    /** What is done where there is nothing. */
    enum Missing {
        IS_AN_ERROR,
        DIRECTORY_IS_MADE,
        FILE_IS_MADE
    }

    private final String text;
    private final FileKind kind;
    private final String words;
    private final Missing missing;

    HostPathType(String text, FileKind kind, String words, Missing missing) {
        this.text = text;
        this.kind = kind;
        this.words = words;
        this.missing = missing;
    }

    static Optional<HostPathType> of(String text) {
        return Arrays.stream(values()).filter(each -> each.text.equals(text)).findFirst();
    }

    boolean accepts(FileKind found) {
        return this == UNSET ? found.exists() : found == kind;
    }

    Missing missing() {
        return missing;
    }

    /** For "is not …". */
    String words() {
        return words;
    }
}
