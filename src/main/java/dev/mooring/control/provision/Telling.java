package dev.mooring.control.provision;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Conditions;
import dev.mooring.control.Notices;
import dev.mooring.control.bind.Bind;
import dev.mooring.model.Draft;
import dev.mooring.model.Notice;
import dev.mooring.model.Notice.Involved;
import dev.mooring.model.view.Claim;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Tells users how the making of a volume goes: in Events of the claim and in its condition. An Event goes with what it tells in one event of
 * the log, so that nothing is announced that then does not happen. Pure; any thread.
 */
record Telling(World world, VolumeOperation operation, Instant now) {
    static final String FAILED = "ProvisioningFailed";
    static final String CLEANUP_FAILED = "ProvisioningCleanupFailed";

    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;

    /** Conditions with other reasons are those of somebody who knows better what the claim waits for. */
    private static final Set<String> OUR_REASONS = Set.of(Provisioning.UNDERWAY_REASON, FAILED);

    /** An Event for good news, once more if it was told before. */
    Optional<Proposal> good(String reason, String message) {
        return Notices.tell(world, Notice.normal(claim(), reason, message, ACTOR), operation.cause(), now);
    }

    /** An Event for trouble, unless it can still be read. */
    Optional<Proposal> bad(String reason, String message) {
        return Notices.tellOnce(world, Notice.warning(claim(), reason, message, ACTOR), operation.cause(), now);
    }

    /** The claim as the operation knows it: it may be gone. */
    private Involved claim() {
        return operation
                .claim()
                .map(ref -> new Involved("v1", "PersistentVolumeClaim", ref.namespace(), ref.name(), ref.uid(), ""))
                .orElseGet(() -> Involved.of(operation.tree()));
    }

    /** Says in the claim's condition why it has no volume; nothing if it says so, or somebody else has more to say. */
    Optional<Proposal> condition(Claim claim, String reason, String message) {
        Optional<ObjectNode> said = Conditions.find(claim.tree(), Bind.BOUND_CONDITION);
        boolean ours = said.map(each -> OUR_REASONS.contains(each.path("reason").asText("")))
                .orElse(true);
        // Who else writes this condition takes the text from the same place, with a reason of its own.
        boolean news = said.filter(each -> each.path("message").asText("").equals(message))
                .isEmpty();
        if (!ours || !news) {
            return Optional.empty();
        }
        ObjectNode next = claim.copy();
        Conditions.put(next, Bind.BOUND_CONDITION, "False", reason, message, now);
        return Optional.of(event(reason.equals(FAILED) ? FAILED : "ProvisioningResumed")
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .build());
    }

    /** The reason of a claim's condition; "" if it has none. */
    static String reason(Claim claim) {
        return Conditions.find(claim.tree(), Bind.BOUND_CONDITION)
                .map(each -> each.path("reason").asText(""))
                .orElse("");
    }

    Proposal.Builder event(String type) {
        return Proposal.by(ACTOR, type).because(operation.cause());
    }

    /** Both or none. */
    static Proposal together(Proposal main, Optional<Proposal> also) {
        if (also.isEmpty()) {
            return main;
        }
        List<Proposal.Write> writes = new ArrayList<>(main.writes());
        writes.addAll(also.get().writes());
        List<Proposal.Expectation> expectations = new ArrayList<>(main.expectations());
        expectations.addAll(also.get().expectations());
        return new Proposal(main.type(), main.actor(), main.cause(), writes, expectations);
    }

    /** Both, or the one there is. */
    static Optional<Proposal> together(Optional<Proposal> main, Optional<Proposal> also) {
        return main.map(each -> together(each, also)).or(() -> also);
    }
}
