package dev.mooring.node.reconcile;

import dev.mooring.volume.VolumeException;

/** For a simulation: goes through a {@link RecoveryGate} without a verticle. */
public final class SimGate {
    private SimGate() {}

    /** Blocks until it is known what the machine has. */
    public static void pass(RecoveryGate gate) throws VolumeException, InterruptedException {
        gate.recover();
    }
}
