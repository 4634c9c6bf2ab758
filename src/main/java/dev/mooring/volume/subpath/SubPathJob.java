package dev.mooring.volume.subpath;

import dev.mooring.volume.Access;
import java.nio.file.Path;

/**
 * A bind mount of a subPath.
 *
 * @param target in an existing directory
 */
record SubPathJob(Path root, String subPath, Path target, Access access) {
    /** Result of a job that did not fail. */
    enum SubPathResult {
        /** The target shows the subPath. */
        DONE,
        /** Something else is mounted at the target and must be unmounted first. */
        OCCUPIED,
        /**
         * The path to the volume contains links, or the subPath leads into another mount: only a process that may hang
         * can resolve it.
         */
        MAY_HANG
    }
}
