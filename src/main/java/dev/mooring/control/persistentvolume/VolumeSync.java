package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Decision;
import dev.mooring.control.Phases;
import dev.mooring.control.persistentvolume.ClaimStatusWriter.StatusMessage;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.Quantity;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.StorageClass;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reconciles one volume: keeps its claim consistent, or finds a claim for it. Pure, except that it records assumptions.
 */
final class VolumeSync {
    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;
    private static final String RELEASED_REASON = "ClaimDeleted";
    private static final String RESERVED_REASON = "ClaimMismatch";

    private final World world;
    private final Volume volume;
    private final BinderCache cache;
    private final Instant now;
    private final ClaimStatusWriter status;

    VolumeSync(World world, Volume volume, BinderCache cache, Instant now) {
        this.world = world;
        this.volume = volume;
        this.cache = cache;
        this.now = now;
        this.status = new ClaimStatusWriter(world, now);
    }

    Decision sync() {
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isEmpty()) {
            return syncUnclaimed();
        }
        if (!ref.get().hasUid()) {
            return Decision.of(markAvailable(
                    volume.copy(), "VolumeAvailable")); // the claim of that name binds to it when it is synced
        }
        Optional<StoredObject> storedClaim = world.get(ref.get().key());
        Optional<Claim> claim = storedClaim
                .map(Claim::of)
                .filter(each -> each.uid().equals(ref.get().uid()));
        if (claim.isEmpty()) {
            return release(ref.get(), storedClaim);
        }
        String name = claim.get().volumeName();
        if (name.isEmpty() && claim.get().mode() != volume.mode()) {
            return mismatch(claim.get());
        }
        if (name.isEmpty() || name.equals(volume.name())) {
            return syncReserved(claim.get()); // the claim's sync completes a half-written binding
        }
        boolean madeForIt =
                volume.provisionedBy().isPresent() && volume.reclaimPolicy().equals("Delete");
        return madeForIt ? release(ref.get(), storedClaim) : Decision.of(unbind());
    }

    /** Binds a volume without claimRef to a waiting claim, or marks it Available. */
    private Decision syncUnclaimed() {
        cache.assumptions().forgetVolume(volume.key());
        boolean waits = Lookup.storageClass(world, volume.className())
                .filter(StorageClass::waitsForConsumer)
                .isPresent();
        if (!waits && !volume.isBeingDeleted() && !Lookup.isBeingEmptied(world, volume)) {
            Optional<Claim> waiting = PendingClaim.findFor(world, volume, this::canTake);
            if (waiting.isPresent()) {
                cache.assumptions().assume(volume, waiting.get());
                return Decision.of(BindProposals.bind(volume, waiting.get(), ACTOR, now));
            }
        }
        return cache.isFirstSync(volume)
                ? Decision.none().requeueAfter(PersistentVolumeController.NEW_OBJECT_DELAY)
                : Decision.of(markAvailable(volume.copy(), "VolumeAvailable"));
    }

    private boolean canTake(Claim claim) {
        return !claim.isBeingDeleted()
                && !cache.assumptions().hasAssumedVolume(claim)
                && VolumeSearch.reservedFor(world, claim).isEmpty()
                && ClaimSync.canReach(world, volume, claim)
                && isBestFor(claim);
    }

    /** Returns whether no other volume matches the claim better; a better one is synced after this one. */
    private boolean isBestFor(Claim claim) {
        return VolumeSearch.findFor(
                        world,
                        claim,
                        candidate -> !cache.assumptions().isAssumedByOther(candidate.stored(), claim),
                        other -> ClaimSync.canReach(world, other, claim))
                .filter(best -> !best.key().equals(volume.key()))
                .isEmpty();
    }

    private Optional<Proposal> markAvailable(ObjectNode next, String type) {
        boolean saysOtherwise = List.of(RELEASED_REASON, RESERVED_REASON)
                .contains(volume.status().path("reason").asText(""));
        if (!volume.phase().equals("Available") || saysOtherwise) {
            Phases.set(next, "Available", "", "", now);
        }
        if (next.equals(volume.tree())) {
            return Optional.empty();
        }
        return Optional.of(Proposal.by(ACTOR, type)
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), next))
                .build());
    }

    /** Marks a Released volume Available, with the reason, if its claim exists but requests more than it has. */
    private Decision syncReserved(Claim claim) {
        boolean isReported = volume.phase().equals("Released")
                || volume.status().path("reason").asText("").equals(RESERVED_REASON);
        if (!isReported || claim.isBindCompleted() || !VolumeMatcher.isTooSmall(volume, claim)) {
            return Decision.none();
        }
        String message = "reserved for claim " + claim.namespace() + '/' + claim.name() + " (uid " + claim.uid()
                + "), which cannot bind to it: " + MismatchReason.TOO_SMALL.text() + " ("
                + volume.capacity().orElse(Quantity.ZERO) + " < " + claim.request() + ')';
        ObjectNode next = volume.copy();
        Phases.set(next, "Available", RESERVED_REASON, message, now);
        if (next.equals(volume.tree())) {
            return Decision.none();
        }
        return Decision.of(Proposal.by(ACTOR, "VolumeAvailable")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), next))
                .expect(claim.stored())
                .build());
    }

    /** Unbinds a volume whose claim has another volume. */
    private Optional<Proposal> unbind() {
        return markAvailable(BindProposals.unbound(volume), "VolumeUnbound");
    }

    /**
     * Marks a volume Released after its claim was deleted. The reclaim controller handles the data; a failure it
     * reported is kept.
     */
    private Decision release(ClaimRef ref, Optional<StoredObject> storedClaim) {
        if (volume.phase().equals("Failed")) {
            return Decision.none();
        }
        ObjectNode next = volume.copy();
        String message = releasedMessage(ref);
        boolean isNew = !volume.phase().equals("Released");
        Phases.set(next, "Released", RELEASED_REASON, message, now);
        if (next.equals(volume.tree())) {
            return Decision.none();
        }
        List<Proposal> proposals = new ArrayList<>();
        Proposal.Builder proposal = Proposal.by(ACTOR, "VolumeReleased")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), next));
        storedClaim.ifPresentOrElse(proposal::expect, () -> proposal.expectAbsent(ref.key()));
        proposals.add(proposal.build());
        if (isNew && volume.reclaimPolicy().equals("Retain")) {
            status.event(volume, StatusMessage.normal(EventReasons.VOLUME_RELEASED, message))
                    .ifPresent(proposals::add);
        }
        return Decision.of(proposals);
    }

    private String releasedMessage(ClaimRef ref) {
        String released = "claim " + ref + " (uid " + ref.uid() + ") no longer uses the volume";
        return volume.reclaimPolicy().equals("Retain")
                ? released + "; its data is kept. Next: to make it available again with its data: mooring release pv/"
                        + volume.name() + " (or remove spec.claimRef)"
                : released + "; reclaim policy " + volume.reclaimPolicy() + " applies to its data";
    }

    private Decision mismatch(Claim claim) {
        String text = "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"" + claim.name()
                + "\" due to incompatible volumeMode. (" + volume.mode() + " ≠ " + claim.mode() + ')';
        List<Proposal> proposals = new ArrayList<>();
        status.event(volume, StatusMessage.warning(EventReasons.VOLUME_MISMATCH, text))
                .ifPresent(proposals::add);
        status.event(
                        claim,
                        StatusMessage.warning(
                                EventReasons.VOLUME_MISMATCH,
                                "Cannot bind PersistentVolume \"" + volume.name()
                                        + "\" to requested PersistentVolumeClaim \"" + claim.name()
                                        + "\" due to incompatible volumeMode. (" + volume.mode() + " ≠ " + claim.mode()
                                        + ')'))
                .ifPresent(proposals::add);
        return Decision.of(proposals);
    }
}
