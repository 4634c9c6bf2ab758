package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Work that has succeeded. Immutable.
 *
 * @param source where the data is, as in a PersistentVolume; nothing if there is none any more
 * @param bytes how large it is now
 * @param note something the user may want to know
 */
public record WorkDone(Optional<ObjectNode> source, long bytes, FileSystemSize fileSystem, Optional<String> note) {
    /** How the file system in the volume stands to the volume's size. */
    public enum FileSystemSize {
        FITS,
        /** Whoever mounts it next must grow it. */
        RESIZE_PENDING
    }

    static WorkDone gone(Optional<String> note) {
        return new WorkDone(Optional.empty(), 0, FileSystemSize.FITS, note);
    }

    static WorkDone at(ObjectNode source, long bytes, Optional<String> note) {
        return new WorkDone(Optional.of(source), bytes, FileSystemSize.FITS, note);
    }

    public boolean isFileSystemResizePending() {
        return fileSystem == FileSystemSize.RESIZE_PENDING;
    }
}
