package dev.mooring.node.volumemanager;

import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkResult;

/**
 * Performs work on the data of volumes, such as {@link dev.mooring.volume.work.VolumeWorkers#perform}. Blocks until it
 * is done or the thread is interrupted. Called by several threads at once, but never twice for one volume; all work is
 * idempotent.
 */
@FunctionalInterface
public interface Performer {
    VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException;
}
