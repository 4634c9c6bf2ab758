package dev.mooring.volume.work;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/**
 * Result of a successful job. Immutable.
 *
 * @param source volume source as in a PersistentVolume; empty if the data no longer exists
 * @param bytes current size
 * @param note a message for the user
 */
public record VolumeWorkResult(
        Optional<ObjectNode> source, long bytes, FileSystemSize fileSystem, Optional<String> note) {
    /** Size of the file system relative to the volume. */
    public enum FileSystemSize {
        FITS,
        /** The next mount must grow the file system. */
        RESIZE_PENDING
    }

    static VolumeWorkResult deleted(Optional<String> note) {
        return new VolumeWorkResult(Optional.empty(), 0, FileSystemSize.FITS, note);
    }

    static VolumeWorkResult at(ObjectNode source, long bytes, Optional<String> note) {
        return new VolumeWorkResult(Optional.of(source), bytes, FileSystemSize.FITS, note);
    }

    public boolean isFileSystemResizePending() {
        return fileSystem == FileSystemSize.RESIZE_PENDING;
    }
}
