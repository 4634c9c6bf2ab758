package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Draft;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reports why a claim has no volume: in its phase, a condition and an Event. Writes nothing if nothing changed, so a
 * waiting claim costs nothing.
 */
final class ClaimStatusWriter {
    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;

    private final World world;
    private final Instant now;

    ClaimStatusWriter(World world, Instant now) {
        this.world = world;
        this.now = now;
    }

    /**
     * A reason, for the claim's condition and for an Event.
     *
     * @param message of the Event; changes only if the reason does
     * @param detail appended to the message in the condition; may change with every PersistentVolume
     */
    record StatusMessage(KubeEvent.Type type, String reason, String message, String detail) {
        static StatusMessage normal(String reason, String message) {
            return new StatusMessage(KubeEvent.Type.NORMAL, reason, message, "");
        }

        static StatusMessage warning(String reason, String message) {
            return new StatusMessage(KubeEvent.Type.WARNING, reason, message, "");
        }

        StatusMessage with(String moreDetail) {
            return new StatusMessage(type, reason, message, moreDetail);
        }
    }

    /** Sets the phase and condition of an unbound claim, and records an Event. */
    List<Proposal> reportUnbound(Claim claim, String phase, StatusMessage report) {
        Optional<Proposal> status = unboundStatus(claim, phase, report);
        // Counts the Event only when the status changed, so a restarted controller writes nothing.
        Optional<Proposal> event = status.isEmpty()
                ? event(claim, report)
                : EventProposals.tellWithBackOff(world, notice(claim, report), claim.cause(), now);
        return Stream.of(status, event).flatMap(Optional::stream).toList();
    }

    /** Sets the phase and condition of an unbound claim without an Event. */
    Optional<Proposal> unboundStatus(Claim claim, String phase, StatusMessage report) {
        ObjectNode next = claim.copy();
        ObjectNode status = next.withObject("/status");
        status.put("phase", phase);
        status.remove(List.of("accessModes", "capacity", "volumeName", "currentVolumeAttributesClassName"));
        if (!phase.equals("Lost")) {
            status.remove(BindProposals.VOLUME_UID);
        }
        Conditions.put(
                next, BindProposals.BOUND_CONDITION, "False", report.reason(), report.message() + report.detail(), now);
        if (next.equals(claim.tree())) {
            return Optional.empty();
        }
        String type = claim.phase().equals(phase) || claim.phase().isEmpty() ? "ClaimWaits" : "Claim" + phase;
        return Optional.of(Proposal.by(ACTOR, type)
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .build());
    }

    /** Records an Event unless one of the same kind still exists. */
    Optional<Proposal> event(View about, StatusMessage report) {
        return EventProposals.recordEventOnce(world, notice(about, report), about.cause(), now);
    }

    private static KubeEvent notice(View about, StatusMessage report) {
        return new KubeEvent(InvolvedObject.of(about.tree()), report.type(), report.reason(), report.message(), ACTOR);
    }
}
