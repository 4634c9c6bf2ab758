package dev.mooring.control.bind;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Notices;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.View;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Says why a claim has no volume: in its phase, in a condition, and in an event. What is already said is not said again, so a claim that waits
 * costs nothing.
 */
final class Words {
    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;

    private final World world;
    private final Instant now;

    Words(World world, Instant now) {
        this.world = world;
        this.now = now;
    }

    /** Something that is to be said. */
    record Saying(Notice.Type type, String reason, String message) {
        static Saying normal(String reason, String message) {
            return new Saying(Notice.Type.NORMAL, reason, message);
        }

        static Saying warning(String reason, String message) {
            return new Saying(Notice.Type.WARNING, reason, message);
        }
    }

    /** The claim is not bound: it has nothing, and this is why. */
    List<Proposal> unbound(Claim claim, String phase, Saying saying) {
        List<Proposal> proposals = new ArrayList<>();
        unboundStatus(claim, phase, saying).ifPresent(proposals::add);
        event(claim, saying).ifPresent(proposals::add);
        return proposals;
    }

    /** The same without an event. */
    Optional<Proposal> unboundStatus(Claim claim, String phase, Saying saying) {
        ObjectNode next = claim.copy();
        ObjectNode status = next.withObject("/status");
        status.put("phase", phase);
        status.remove(List.of("accessModes", "capacity", "volumeName", "currentVolumeAttributesClassName"));
        if (!phase.equals("Lost")) {
            status.remove(Bind.VOLUME_UID);
        }
        Conditions.put(next, Bind.BOUND_CONDITION, "False", saying.reason(), saying.message(), now);
        if (next.equals(claim.tree())) {
            return Optional.empty();
        }
        String type = claim.phase().equals(phase) || claim.phase().isEmpty() ? "ClaimWaits" : "Claim" + phase;
        return Optional.of(Proposal.by(ACTOR, type)
                .because(claim.cause())
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .build());
    }

    /** An event, unless it can still be read. */
    Optional<Proposal> event(View about, Saying saying) {
        Notice notice = new Notice(Involved.of(about.tree()), saying.type(), saying.reason(), saying.message(), ACTOR);
        return Notices.tellOnce(world, notice, about.cause(), now);
    }
}
