package dev.mooring.control.schedule;

import dev.mooring.control.bind.VolumeIndex;
import dev.mooring.model.Change;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.Optional;
import java.util.function.Predicate;

/** Finds free volumes for claims. For one thread. */
public interface VolumeChoice {
    /** Takes in a change of a volume. */
    void follow(Change change);

    /**
     * The free volume that fits a claim best; nothing if none does.
     *
     * @param worthALook what else is asked of it
     */
    Optional<Volume> smallest(World world, Claim claim, Predicate<VolumeIndex.Candidate> worthALook);
}
