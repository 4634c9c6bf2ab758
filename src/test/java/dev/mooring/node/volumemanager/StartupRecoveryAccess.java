package dev.mooring.node.volumemanager;

import dev.mooring.volume.VolumeException;

/** Gives simulations access to {@link StartupRecovery}, without a verticle. */
public final class StartupRecoveryAccess {
    private StartupRecoveryAccess() {}

    /** Blocks until the state of the machine is known. */
    public static void recover(StartupRecovery recovery) throws VolumeException, InterruptedException {
        recovery.recover();
    }
}
