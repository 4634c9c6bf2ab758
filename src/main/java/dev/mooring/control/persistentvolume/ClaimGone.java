package dev.mooring.control.persistentvolume;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * Evidence that a volume's claim will not come back: it does not exist, another claim has its name, or it is bound to
 * another volume. Proposals made on it have it as precondition. Immutable.
 *
 * @param claim the object that has the claim's name; empty if there is none
 */
record ClaimGone(ObjectKey name, Optional<StoredObject> claim) {
    /** Returns the evidence; empty if the volume may still belong to a claim. */
    static Optional<ClaimGone> of(World world, Volume volume) {
        boolean released = volume.phase().equals("Released") || volume.phase().equals("Failed");
        Optional<ClaimRef> reference = volume.claimRef().filter(ClaimRef::hasUid);
        if (!released || reference.isEmpty()) {
            return Optional.empty();
        }
        ObjectKey name = reference.get().key();
        Optional<Claim> found = world.get(name).map(Claim::of);
        if (found.isPresent() && isStillBound(found.get(), reference.get(), volume)) {
            return Optional.empty();
        }
        return Optional.of(new ClaimGone(name, found.map(Claim::stored)));
    }

    private static boolean isStillBound(Claim claim, ClaimRef reference, Volume volume) {
        return claim.uid().equals(reference.uid())
                && (claim.volumeName().isEmpty() || claim.volumeName().equals(volume.name()));
    }

    Proposal.Builder expectedBy(Proposal.Builder proposal) {
        return claim.map(proposal::expect).orElseGet(() -> proposal.expectAbsent(name));
    }
}
