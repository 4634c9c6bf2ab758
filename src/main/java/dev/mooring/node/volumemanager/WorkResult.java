package dev.mooring.node.volumemanager;

import dev.mooring.volume.work.VolumeWorkResult;

/** The result of an operation. */
sealed interface WorkResult {
    record Succeeded(VolumeWorkResult result) implements WorkResult {}

    record Failed(WorkFailure failure) implements WorkResult {}
}
