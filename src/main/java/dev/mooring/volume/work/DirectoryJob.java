package dev.mooring.volume.work;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One job on one directory, self-contained so that it can be passed to a child process. Immutable.
 *
 * @param bases directories that hold, or may hold, the volume, innermost first; empty for {@code EMPTY}
 * @param creationRoot directory below which a missing base may be created
 * @param target the directory
 * @param creator creates new data
 */
record DirectoryJob(
        DirectoryAction action,
        List<Path> bases,
        Optional<Path> creationRoot,
        Path target,
        DirectoryOwner owner,
        VolumeDataCreator.DirectoryCreator creator) {
    /** Action of a job. */
    enum DirectoryAction {
        MAKE,
        /** Removes the data that a PersistentVolume refers to. */
        REMOVE,
        /** Removes what an unfinished provisioning may have created. */
        REMOVE_UNFINISHED,
        /** Removes the content; the directory itself stays. */
        EMPTY
    }

    /** The volume of the job, and what happens to its data on deletion. */
    record DirectoryOwner(String volume, String uid, OnDelete onDelete, Optional<ClaimIdentity> claim) {}

    DirectoryJob {
        bases = List.copyOf(bases);
    }

    Marker markerBelow(Path base) throws VolumeWorkException {
        return Marker.of(owner.volume(), owner.uid(), base.relativize(target).toString(), owner.onDelete())
                .forClaim(owner.claim());
    }
}
