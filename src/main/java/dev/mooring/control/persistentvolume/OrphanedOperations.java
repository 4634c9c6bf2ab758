package dev.mooring.control.persistentvolume;

import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.OperationType;
import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Operations whose volume is gone, for example because a user removed its finalizers. A deletion still runs, since
 * nothing else refers to the data; a scrub is dropped, since another volume may use the data by now. Pure.
 */
final class OrphanedOperations {
    private final List<VolumeOperation> operations;

    /** @param volume the volume that has the name now */
    OrphanedOperations(Optional<Volume> volume, List<VolumeOperation> named) {
        String uid = volume.map(Volume::uid).orElse("");
        operations =
                named.stream().filter(each -> !each.volumeUid().equals(uid)).toList();
    }

    /** Returns whether there is no operation that can be removed now. */
    boolean isEmpty() {
        return removals().isEmpty();
    }

    List<Proposal> removals() {
        List<Proposal> removals = new ArrayList<>();
        for (VolumeOperation each : operations) {
            boolean running = each.state().equals(VolumeOperation.RUNNING);
            boolean needed = each.operationType().equals(Optional.of(OperationType.DELETE)) && !each.hasSucceeded();
            if (!running && !needed) {
                removals.add(Proposal.by(ReclaimController.NAME, "VolumeOperationRemoved")
                        .because(each.cause())
                        .remove(each.stored())
                        .build());
            }
        }
        return removals;
    }
}
