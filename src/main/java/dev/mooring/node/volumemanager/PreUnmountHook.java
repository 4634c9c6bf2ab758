package dev.mooring.node.volumemanager;

import dev.mooring.volume.VolumeException;

/** Removes subPath mounts of containers before a Pod's volume is unmounted. Blocks; idempotent. */
@FunctionalInterface
public interface PreUnmountHook {
    PreUnmountHook NONE = (podUid, volume) -> {};

    /**
     * Cleans up a volume.
     *
     * @param volume name of its directory
     */
    void clean(String podUid, String volume) throws VolumeException, InterruptedException;
}
