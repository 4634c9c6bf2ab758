package dev.mooring.volume.work;

/**
 * Creates, deletes, scrubs and grows volumes of one provisioner. Blocks; thread-safe for different volumes. Every job
 * is idempotent: repeating an interrupted job leads to the same state.
 */
public interface VolumeWorker {
    /** Returns the provisioner, such as {@code mooring.dev/hostpath}. */
    String provisioner();

    VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException;
}
