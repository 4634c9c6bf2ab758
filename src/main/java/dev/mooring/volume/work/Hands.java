package dev.mooring.volume.work;

import java.util.Optional;

/** Does a job on a directory. Blocks; any thread. */
interface Hands {
    /** Answers with what the user may want to know. */
    Optional<String> perform(DirectoryJob job) throws VolumeWorkException, InterruptedException;
}
