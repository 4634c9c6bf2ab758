package dev.mooring.control.persistentvolume;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Bindings that are decided but not yet committed. Many claims are reconciled on one World; without this cache, all
 * would choose the same volume, and all but one would conflict. The cache is only a hint: the preconditions of the
 * proposals decide.
 *
 * <p>An assumption is valid while the volume is still at the revision it was made on, until its claim is reconciled
 * again. Not thread-safe.
 */
final class AssumeCache {
    private record Assumed(ObjectKey claim, long revision) {}

    private final Map<ObjectKey, Assumed> byVolume = new HashMap<>();
    private final Map<ObjectKey, ObjectKey> byClaim = new HashMap<>();

    void assume(Volume volume, Claim claim) {
        byVolume.put(volume.key(), new Assumed(claim.key(), volume.revision()));
        byClaim.put(claim.key(), volume.key());
    }

    /**
     * Removes the assumption of a claim that is reconciled again or deleted: its proposal was committed or failed.
     *
     * @return the assumed volume
     */
    Optional<ObjectKey> forgetClaim(ObjectKey claim) {
        Optional<ObjectKey> volume = Optional.ofNullable(byClaim.remove(claim));
        volume.ifPresent(byVolume::remove);
        return volume;
    }

    /** Removes the assumption about a volume that changed. */
    void forgetVolume(ObjectKey volume) {
        Assumed assumed = byVolume.remove(volume);
        if (assumed != null) {
            byClaim.remove(assumed.claim());
        }
    }

    /** Returns whether another claim is about to be bound to the volume. */
    boolean isAssumedByOther(StoredObject volume, Claim claim) {
        Assumed assumed = byVolume.get(volume.key());
        return assumed != null
                && assumed.revision() == volume.revision()
                && !assumed.claim().equals(claim.key());
    }

    /** Returns whether the claim is about to be bound to a volume. */
    boolean hasAssumedVolume(Claim claim) {
        return byClaim.containsKey(claim.key());
    }
}
