package dev.mooring.control.reclaim;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.Optional;

/**
 * That a volume's claim will not come back: it is not there, another one has its name, or it has another volume. What is done upon that is
 * only to happen if it is still so. Immutable.
 *
 * @param claim what has the claim's name; nothing if nothing has
 */
record Abandonment(ObjectKey name, Optional<StoredObject> claim) {
    /** Nothing if the volume may still be somebody's. */
    static Optional<Abandonment> of(World world, Volume volume) {
        boolean said = volume.phase().equals("Released") || volume.phase().equals("Failed");
        Optional<ClaimRef> reference = volume.claimRef().filter(ClaimRef::hasUid);
        if (!said || reference.isEmpty()) {
            return Optional.empty();
        }
        ObjectKey name = reference.get().key();
        Optional<Claim> found = world.get(name).map(Claim::of);
        if (found.isPresent() && isStillIts(found.get(), reference.get(), volume)) {
            return Optional.empty();
        }
        return Optional.of(new Abandonment(name, found.map(Claim::stored)));
    }

    private static boolean isStillIts(Claim claim, ClaimRef reference, Volume volume) {
        return claim.uid().equals(reference.uid())
                && (claim.volumeName().isEmpty() || claim.volumeName().equals(volume.name()));
    }

    Proposal.Builder expectedBy(Proposal.Builder proposal) {
        return claim.map(proposal::expect).orElseGet(() -> proposal.expectAbsent(name));
    }
}
