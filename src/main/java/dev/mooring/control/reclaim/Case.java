package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Notices;
import dev.mooring.control.Phases;
import dev.mooring.control.protect.JointProposal;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.view.ClaimRef;
import dev.mooring.model.view.Volume;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.Optional;

/**
 * A volume that is looked at, and how to say and do something about it. Everything that is proposed expects the volume, and the
 * absence of its claim if that is why it is proposed, to be as they were seen. Immutable.
 */
record Case(World world, Volume volume, Optional<Abandonment> abandoned, Instant now) {
    static Case of(World world, Volume volume, Instant now) {
        return new Case(world, volume, Abandonment.of(world, volume), now);
    }

    /** Whether nobody has it, nor is it kept for one certain claim. */
    boolean isNobodys() {
        return !volume.phase().equals("Bound")
                && volume.claimRef().filter(ClaimRef::hasUid).isEmpty();
    }

    Proposal.Builder event(String type) {
        Proposal.Builder proposal = Proposal.by(Reclaimer.NAME, type).because(volume.cause());
        abandoned.ifPresent(gone -> gone.expectedBy(proposal));
        return proposal;
    }

    /** The volume as it is, and an operation of its gone. */
    Proposal.Builder without(VolumeOperation operation) {
        return event("VolumeOperationRemoved").expect(volume.stored()).remove(operation.stored());
    }

    Draft draft(ObjectNode object) {
        return Draft.of(volume.key(), object);
    }

    Notice normal(String reason, String message) {
        return Notice.normal(Notice.Involved.of(volume.tree()), reason, message, Reclaimer.NAME);
    }

    Notice warning(String reason, String message) {
        return Notice.warning(Notice.Involved.of(volume.tree()), reason, message, Reclaimer.NAME);
    }

    Optional<Proposal> tellOnce(Notice notice) {
        return Notices.tellOnce(world, notice, volume.cause(), now);
    }

    Proposal telling(Proposal.Builder change, Notice notice) {
        return JointProposal.of(change.build(), Notices.tell(world, notice, volume.cause(), now));
    }

    /**
     * The volume is Failed and says why. If it never had a claim, others say what its phase is, and there is only the Event.
     *
     * @param advice what to do, for the Event
     */
    Optional<Proposal> failed(String reason, String message, String advice) {
        Notice notice = warning(reason, advice.isEmpty() ? message : message + "; " + advice);
        if (abandoned.isEmpty()) {
            return tellOnce(notice);
        }
        ObjectNode object = volume.copy();
        Phases.set(object, "Failed", reason, message, now);
        return object.equals(volume.tree())
                ? Optional.empty()
                : Optional.of(telling(event("VolumeFailed").replace(volume.stored(), draft(object)), notice));
    }
}
