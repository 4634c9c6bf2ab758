package dev.mooring.control.schedule;

import dev.mooring.control.bind.VolumeIndex;
import dev.mooring.model.Change;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds volumes as the binder does, in an index of its own. For one thread. */
final class IndexedVolumes implements VolumeChoice {
    private final VolumeIndex index = new VolumeIndex();

    @Override
    public void follow(Change change) {
        index.follow(change);
    }

    @Override
    public Optional<Volume> smallest(World world, Claim claim, Predicate<VolumeIndex.Candidate> worthALook) {
        return index.findFor(
                world,
                claim,
                worthALook,
                // once more as the World has it, where an affinity may have been added since
                volume -> worthALook.test(
                        new VolumeIndex.Candidate(volume.stored(), volume.nodeAffinity(), volume.revision())));
    }
}
