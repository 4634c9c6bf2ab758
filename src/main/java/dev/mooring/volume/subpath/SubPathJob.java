package dev.mooring.volume.subpath;

import dev.mooring.volume.Access;
import java.nio.file.Path;

/**
 * What is to appear where.
 *
 * @param target in a directory that is there
 */
record SubPathJob(Path root, String subPath, Path target, Access access) {
    /** How it ended if it did not fail. */
    enum End {
        /** The target shows what it should. */
        DONE,
        /** Something else is mounted at the target, and has to go first. */
        OCCUPIED,
        /** The way leads over links to the volume, or into another mount: only a process that may hang can go it. */
        TOO_FAR
    }
}
