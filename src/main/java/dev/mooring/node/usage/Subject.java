package dev.mooring.node.usage;

import dev.mooring.model.ObjectKey;
import java.nio.file.Path;

/**
 * A claim whose volume is mounted here, and where to measure it. Immutable.
 *
 * @param volume name of the PersistentVolume
 * @param path where it is mounted for one of its Pods
 * @param server of an export; "" for others
 * @param asked bytes the claim has been given, 0 if nobody says
 */
record Subject(ObjectKey claim, String volume, Path path, Kind kind, String server, long asked) {
    /** How it is measured. */
    enum Kind {
        /** Files on this machine, or at least not known to be elsewhere. */
        FILES,
        /** Of an NFS server. */
        EXPORT,
        /** No file system, only a size. */
        DEVICE
    }
}
