package dev.mooring.node.monitor;

import dev.mooring.model.ObjectKey;
import java.nio.file.Path;

/**
 * A claim whose volume is mounted here or is a directory of this machine, and where to measure it. Immutable.
 *
 * @param volume name of the PersistentVolume
 * @param path where it is mounted for one of its Pods, or the directory
 * @param server server of an export; "" for others
 * @param requestedBytes the claim's capacity in bytes, 0 if unknown
 */
record UsageTarget(ObjectKey claim, String volume, Path path, Kind kind, String server, long requestedBytes) {
    /** How the volume is measured. */
    enum Kind {
        /** Files on this machine, or not known to be remote. */
        FILES,
        /**
         * A directory that is not mounted for any Pod; measured only if its path has no symbolic link and no remote
         * file system.
         */
        DIRECTORY,
        /** An export of a server. */
        EXPORT,
        /** A block device: no file system, only a size. */
        DEVICE
    }
}
