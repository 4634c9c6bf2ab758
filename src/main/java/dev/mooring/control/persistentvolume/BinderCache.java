package dev.mooring.control.persistentvolume;

import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of the PersistentVolumeController that the World does not contain: bindings that are not committed yet,
 * descriptions of deleted volumes that claims name, and new objects whose first status is deferred. Not thread-safe.
 */
final class BinderCache {
    private final AssumeCache assumptions = new AssumeCache();
    private final Map<String, String> deletions = new HashMap<>();
    private final Set<ObjectKey> deferred = new HashSet<>();

    AssumeCache assumptions() {
        return assumptions;
    }

    /** Updates the cache with a volume's change. Describes its deletion while a claim names it. */
    void updateVolume(Change change, World world) {
        assumptions.forgetVolume(change.key());
        clearDeferred(change);
        String name = change.key().name();
        if (!change.isRemoval()) {
            deletions.remove(name);
        } else if (isNamed(world, name)) {
            deletions.put(name, deletion(change));
        }
    }

    /** Updates the cache with a claim's change. */
    void updateClaim(Change change, Optional<StoredObject> before, World world) {
        clearDeferred(change);
        before.map(each -> Claim.of(each).volumeName())
                .filter(name -> !isNamed(world, name))
                .ifPresent(deletions::remove);
    }

    private static boolean isNamed(World world, String volume) {
        return !world.index(Indexes.CLAIMS_BY_VOLUME).keys(volume).isEmpty();
    }

    /** Describes the last state of a deleted PersistentVolume and where to read its history. */
    private static String deletion(Change change) {
        Volume volume = Volume.of(change.object());
        String when = volume.metadata().path("deletionTimestamp").asText("");
        return "(" + volume.sourceText().map(source -> source + ", ").orElse("") + "reclaim policy "
                + volume.reclaimPolicy() + ") was deleted"
                + (when.isEmpty() ? "" : " at " + when) + " in revision "
                + change.object().revision() + " (actor: `mooring log cat --object " + volume.key()
                + "`; last state: `kubectl get --raw '/api/v1/" + volume.key() + "?at=" + change.prior() + "'`)";
    }

    /** Returns the description of a deleted volume that a claim still names. */
    Optional<String> deletionOf(String volume) {
        return Optional.ofNullable(deletions.get(volume));
    }

    /** Returns whether a claim without Bound condition is reconciled for the first time. */
    boolean isFirstSync(Claim claim) {
        return Conditions.find(claim.tree(), BindProposals.BOUND_CONDITION).isEmpty()
                && !claim.isBeingDeleted()
                && deferred.add(claim.key());
    }

    /** Returns whether a volume without phase, or Pending, is reconciled for the first time. */
    boolean isFirstSync(Volume volume) {
        return (volume.phase().equals("Pending") || volume.phase().isEmpty())
                && !volume.isBeingDeleted()
                && deferred.add(volume.key());
    }

    private void clearDeferred(Change change) {
        if (!change.isCreation()) {
            deferred.remove(change.key());
        }
    }
}
