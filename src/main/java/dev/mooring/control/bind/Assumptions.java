package dev.mooring.control.bind;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What has been decided and is on its way to the log. Claims are looked at many at a time upon one World; without this, all would take the same
 * volume and all but one would have to look again. It is no more than a hint: the proposals' preconditions decide.
 *
 * <p>An assumption holds while the volume is still at the revision it was made upon, until its claim is looked at again. For one thread.
 */
final class Assumptions {
    private record Assumed(ObjectKey claim, long revision) {}

    private final Map<ObjectKey, Assumed> byVolume = new HashMap<>();
    private final Map<ObjectKey, ObjectKey> byClaim = new HashMap<>();

    void assume(Volume volume, Claim claim) {
        byVolume.put(volume.key(), new Assumed(claim.key(), volume.revision()));
        byClaim.put(claim.key(), volume.key());
    }

    /**
     * The claim is looked at again, or gone: whatever was decided for it has happened or failed.
     *
     * @return the volume it was promised
     */
    Optional<ObjectKey> forgetClaim(ObjectKey claim) {
        Optional<ObjectKey> volume = Optional.ofNullable(byClaim.remove(claim));
        volume.ifPresent(byVolume::remove);
        return volume;
    }

    /** The volume has changed. */
    void forgetVolume(ObjectKey volume) {
        Assumed assumed = byVolume.remove(volume);
        if (assumed != null) {
            byClaim.remove(assumed.claim());
        }
    }

    /** Whether another claim is about to get it. */
    boolean isPromised(StoredObject volume, Claim claim) {
        Assumed assumed = byVolume.get(volume.key());
        return assumed != null
                && assumed.revision() == volume.revision()
                && !assumed.claim().equals(claim.key());
    }

    /** Whether the claim is about to get a volume. */
    boolean isServed(Claim claim) {
        return byClaim.containsKey(claim.key());
    }
}
