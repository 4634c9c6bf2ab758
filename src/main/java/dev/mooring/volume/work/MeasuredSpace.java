package dev.mooring.volume.work;

/** Measured usage of a volume. Immutable. */
public record MeasuredSpace(FileSystemStats stats, FileSystemSharing sharing) {
    /** Whether the file system belongs to the volume alone. */
    public enum FileSystemSharing {
        /** The file system belongs to the volume. */
        OWN,
        /** The volume is a directory in a file system that has other users. */
        SHARED
    }
}
