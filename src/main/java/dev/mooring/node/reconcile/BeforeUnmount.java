package dev.mooring.node.reconcile;

import dev.mooring.volume.VolumeException;

/** What must go before a Pod's volume can: parts of it that containers got. Blocks; doing it again is no error. */
@FunctionalInterface
public interface BeforeUnmount {
    BeforeUnmount NOTHING = (podUid, volume) -> {};

    /** @param volume as its directory is called */
    void clean(String podUid, String volume) throws VolumeException, InterruptedException;
}
