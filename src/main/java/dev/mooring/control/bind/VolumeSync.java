package dev.mooring.control.bind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Decision;
import dev.mooring.control.Phases;
import dev.mooring.control.bind.Words.Saying;
import dev.mooring.model.Draft;
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

/** One look at a volume: whose it is, and if nobody's, who may want it. Pure, but for noting what it promises. */
final class VolumeSync {
    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;
    private static final String RELEASED_REASON = "ClaimDeleted";

    private final World world;
    private final Volume volume;
    private final Known known;
    private final Instant now;
    private final Words words;

    VolumeSync(World world, Volume volume, Known known, Instant now) {
        this.world = world;
        this.volume = volume;
        this.known = known;
        this.now = now;
        this.words = new Words(world, now);
    }

    Decision decide() {
        Optional<ClaimRef> ref = volume.claimRef();
        if (ref.isEmpty()) {
            return offer();
        }
        if (!ref.get().hasUid()) {
            return Decision.of(
                    available(volume.copy(), "VolumeAvailable")); // the claim of that name takes it when it looks
        }
        Optional<StoredObject> there = world.get(ref.get().key());
        Optional<Claim> claim =
                there.map(Claim::of).filter(each -> each.uid().equals(ref.get().uid()));
        if (claim.isEmpty()) {
            return release(ref.get(), there);
        }
        String name = claim.get().volumeName();
        if (name.isEmpty()) {
            return claim.get().mode() == volume.mode() ? Decision.nothing() : mismatch(claim.get());
        }
        if (name.equals(volume.name())) {
            return Decision.nothing(); // the claim's side makes whole what is missing on either
        }
        boolean madeForIt =
                volume.provisionedBy().isPresent() && volume.reclaimPolicy().equals("Delete");
        return madeForIt ? release(ref.get(), there) : Decision.of(unbind());
    }

    /** Nobody's: it goes to a claim that waits for it, or is available. */
    private Decision offer() {
        known.assumptions().forgetVolume(volume.key());
        boolean waits = Lookup.storageClass(world, volume.className())
                .filter(StorageClass::waitsForConsumer)
                .isPresent();
        boolean told = known.volumes().isNewest(volume.stored());
        if (told && !waits && !volume.isBeingDeleted() && !Lookup.isBeingEmptied(world, volume)) {
            Optional<Claim> waiting = known.claims().findFor(world, volume, this::canTake);
            if (waiting.isPresent()) {
                known.assumptions().assume(volume, waiting.get());
                return Decision.of(Bind.proposal(volume, waiting.get(), ACTOR, now));
            }
        }
        return known.isNew(volume)
                ? Decision.nothing().lookAgainAfter(Binder.NEWCOMER)
                : Decision.of(available(volume.copy(), "VolumeAvailable"));
    }

    private boolean canTake(Claim claim) {
        return !claim.isBeingDeleted()
                && !known.assumptions().isServed(claim)
                && known.volumes().reservedFor(world, claim).isEmpty()
                && ClaimSync.isReachable(known, world, volume, claim)
                && !known.isAnothers(world, volume, claim)
                && isBestFor(claim);
    }

    /** There may be another that suits the claim better, and is to be looked at after this one. */
    private boolean isBestFor(Claim claim) {
        return known.volumes()
                .findFor(
                        world,
                        claim,
                        candidate ->
                                !candidate.isAhead() && !known.assumptions().isPromised(candidate.stored(), claim),
                        other -> ClaimSync.isReachable(known, world, other, claim)
                                && !known.isAnothers(world, other, claim))
                .filter(best -> !best.key().equals(volume.key()))
                .isEmpty();
    }

    private Optional<Proposal> available(ObjectNode next, String type) {
        boolean saysOtherwise = volume.status().path("reason").asText("").equals(RELEASED_REASON);
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

    /** Its claim is another volume's: what we wrote is taken back whole, of what a user wrote only the claim's identity. */
    private Optional<Proposal> unbind() {
        return available(unbound(volume), "VolumeUnbound");
    }

    /** The volume without its claim; not yet its phase. */
    static ObjectNode unbound(Volume volume) {
        ObjectNode next = volume.copy();
        ObjectNode spec = next.withObject("/spec");
        if (volume.isBoundByController()) {
            spec.remove("claimRef");
            ObjectNode metadata = (ObjectNode) next.get("metadata");
            ObjectNode annotations = (ObjectNode) metadata.get("annotations");
            annotations.remove(StorageNames.BOUND_BY_CONTROLLER);
            if (annotations.isEmpty()) {
                metadata.remove("annotations");
            }
        } else {
            ((ObjectNode) spec.get("claimRef")).remove(List.of("uid", "resourceVersion"));
        }
        return next;
    }

    /** Its claim is gone. What becomes of the data is for others to decide; a failure of theirs stays to be read. */
    private Decision release(ClaimRef ref, Optional<StoredObject> there) {
        if (volume.phase().equals("Failed")) {
            return Decision.nothing();
        }
        ObjectNode next = volume.copy();
        String message = releasedMessage(ref);
        boolean news = !volume.phase().equals("Released");
        Phases.set(next, "Released", RELEASED_REASON, message, now);
        if (next.equals(volume.tree())) {
            return Decision.nothing();
        }
        List<Proposal> proposals = new ArrayList<>();
        Proposal.Builder proposal = Proposal.by(ACTOR, "VolumeReleased")
                .because(volume.cause())
                .replace(volume.stored(), Draft.of(volume.key(), next));
        there.ifPresentOrElse(proposal::expect, () -> proposal.expectAbsent(ref.key()));
        proposals.add(proposal.build());
        if (news && volume.reclaimPolicy().equals("Retain")) {
            words.event(volume, Saying.normal("VolumeReleased", message)).ifPresent(proposals::add);
        }
        return Decision.of(proposals);
    }

    private String releasedMessage(ClaimRef ref) {
        String gone = "claim " + ref + " (uid " + ref.uid() + ") no longer has it";
        return volume.reclaimPolicy().equals("Retain")
                ? gone + "; its data is kept. Next: to offer it again, data and all: mooring release pv/"
                        + volume.name() + " (or remove spec.claimRef)"
                : gone + "; policy " + volume.reclaimPolicy() + " decides about its data";
    }

    private Decision mismatch(Claim claim) {
        String text = "Cannot bind PersistentVolume to requested PersistentVolumeClaim \"" + claim.name()
                + "\" due to incompatible volumeMode. (" + volume.mode() + " ≠ " + claim.mode() + ')';
        List<Proposal> proposals = new ArrayList<>();
        words.event(volume, Saying.warning("VolumeMismatch", text)).ifPresent(proposals::add);
        words.event(
                        claim,
                        Saying.warning(
                                "VolumeMismatch",
                                "Cannot bind PersistentVolume \"" + volume.name()
                                        + "\" to requested PersistentVolumeClaim \"" + claim.name()
                                        + "\" due to incompatible volumeMode. (" + volume.mode() + " ≠ " + claim.mode()
                                        + ')'))
                .ifPresent(proposals::add);
        return Decision.of(proposals);
    }
}
