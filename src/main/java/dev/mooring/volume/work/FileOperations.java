package dev.mooring.volume.work;

import java.util.Optional;

/** Runs jobs on directories. Blocks; thread-safe. */
interface FileOperations {
    /** Runs the job and returns a note for the user, if any. */
    Optional<String> perform(DirectoryJob job) throws VolumeWorkException, InterruptedException;
}
