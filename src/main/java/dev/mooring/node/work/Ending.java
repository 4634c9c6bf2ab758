package dev.mooring.node.work;

import dev.mooring.volume.work.WorkDone;

/** How an operation ended. */
sealed interface Ending {
    record Done(WorkDone result) implements Ending {}

    record Failed(Failure failure) implements Ending {}
}
