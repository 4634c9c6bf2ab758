package dev.mooring.volume.work;

/**
 * Knows how to make, delete, scrub and grow volumes of one kind. Blocks; any thread, several volumes at once, but never two works on one
 * volume. Whatever it did before it was cut off, doing the same work again ends in the same state.
 */
public interface VolumeWorker {
    /** Whose volumes it works on, such as {@code mooring.dev/hostpath}. */
    String provisioner();

    WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException;
}
