package dev.mooring.control.reclaim;

import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.model.view.VolumeOperation.Work;
import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Operations whose volume is gone, as when somebody took away its finalizers. What was to be deleted still is, since nothing
 * else would know of it; what was to be emptied is left as it is, since it may be another volume's by now. Pure.
 */
final class Leftovers {
    private final List<VolumeOperation> operations;

    /** @param volume the one that has the name now */
    Leftovers(Optional<Volume> volume, List<VolumeOperation> named) {
        String uid = volume.map(Volume::uid).orElse("");
        operations =
                named.stream().filter(each -> !each.volumeUid().equals(uid)).toList();
    }

    /** Whether none could be cleared away now. */
    boolean isEmpty() {
        return cleared().isEmpty();
    }

    List<Proposal> cleared() {
        List<Proposal> removals = new ArrayList<>();
        for (VolumeOperation each : operations) {
            boolean running = each.state().equals(VolumeOperation.RUNNING);
            boolean needed = each.work().equals(Optional.of(Work.DELETE)) && !each.hasSucceeded();
            if (!running && !needed) {
                removals.add(Proposal.by(Reclaimer.NAME, "VolumeOperationRemoved")
                        .because(each.cause())
                        .remove(each.stored())
                        .build());
            }
        }
        return removals;
    }
}
