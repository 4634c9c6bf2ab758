package dev.mooring.node.work;

import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.WorkDone;

/**
 * Does work on the data of volumes, such as {@link dev.mooring.volume.work.VolumeWorkers#perform}. Blocks until it is done or the thread is
 * interrupted. Several threads at once, but never two with one volume; doing the same again ends in the same state.
 */
@FunctionalInterface
public interface Performer {
    WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException;
}
