package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.EventProposals;
import dev.mooring.control.Phases;
import dev.mooring.control.protection.JointProposal;
import dev.mooring.model.Draft;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Optional;

/**
 * A volume being reconciled, with helpers for Events and proposals. Every proposal has the volume, and the absence of
 * its claim if relevant, as preconditions. Immutable.
 */
record ReclaimContext(World world, Volume volume, Optional<ClaimGone> claimGone, Instant now) {
    static ReclaimContext of(World world, Volume volume, Instant now) {
        return new ReclaimContext(world, volume, ClaimGone.of(world, volume), now);
    }

    /** Returns whether the volume is neither bound nor reserved. */
    boolean isUnclaimed() {
        return !volume.phase().equals("Bound")
                && volume.claimRef().filter(ClaimRef::hasUid).isEmpty();
    }

    Proposal.Builder event(String type) {
        Proposal.Builder proposal = Proposal.by(ReclaimController.NAME, type).because(volume.cause());
        claimGone.ifPresent(gone -> gone.expectedBy(proposal));
        return proposal;
    }

    /** Returns an event that removes an operation and has the volume as precondition. */
    Proposal.Builder without(VolumeOperation operation) {
        return event("VolumeOperationRemoved").expect(volume.stored()).remove(operation.stored());
    }

    Draft draft(ObjectNode object) {
        return Draft.of(volume.key(), object);
    }

    KubeEvent normal(String reason, String message) {
        return KubeEvent.normal(KubeEvent.InvolvedObject.of(volume.tree()), reason, message, ReclaimController.NAME);
    }

    KubeEvent warning(String reason, String message) {
        return KubeEvent.warning(KubeEvent.InvolvedObject.of(volume.tree()), reason, message, ReclaimController.NAME);
    }

    Optional<Proposal> recordEventOnce(KubeEvent kubeEvent) {
        return EventProposals.recordEventOnce(world, kubeEvent, volume.cause(), now);
    }

    Proposal withEvent(Proposal.Builder change, KubeEvent kubeEvent) {
        return JointProposal.of(change.build(), EventProposals.recordEvent(world, kubeEvent, volume.cause(), now));
    }

    /**
     * Marks the volume Failed with a reason. A volume that never had a claim gets only the Event, because other
     * controllers maintain its phase.
     *
     * @param advice remedy, for the Event
     */
    Optional<Proposal> failed(String reason, String message, String advice) {
        KubeEvent kubeEvent = warning(reason, advice.isEmpty() ? message : message + "; " + advice);
        if (claimGone.isEmpty()) {
            return recordEventOnce(kubeEvent);
        }
        ObjectNode object = volume.copy();
        Phases.set(object, "Failed", reason, message, now);
        return object.equals(volume.tree())
                ? Optional.empty()
                : Optional.of(withEvent(event("VolumeFailed").replace(volume.stored(), draft(object)), kubeEvent));
    }
}
