package dev.mooring.volume.work;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One thing to do with one directory, whole enough to be handed to another process. Immutable.
 *
 * @param bases directories that hold, or may hold, the volume, the innermost first; none for emptying
 * @param home below which a base may be made if it is missing
 * @param target the directory
 * @param making for a new one
 */
record DirectoryJob(
        Action action, List<Path> bases, Optional<Path> home, Path target, Owner owner, Making.OfDirectory making) {
    /** What is to be done. */
    enum Action {
        MAKE,
        /** What a volume's PersistentVolume says is there. */
        REMOVE,
        /** What may or may not have been made for a PersistentVolume that never was. */
        REMOVE_UNFINISHED,
        /** Everything in it goes, itself stays. */
        EMPTY
    }

    /** Whom it is for, and what was promised about its end. */
    record Owner(String volume, String uid, OnDelete onDelete) {}

    DirectoryJob {
        bases = List.copyOf(bases);
    }

    Marker markerBelow(Path base) throws VolumeWorkException {
        return Marker.of(owner.volume(), owner.uid(), base.relativize(target).toString(), owner.onDelete());
    }
}
