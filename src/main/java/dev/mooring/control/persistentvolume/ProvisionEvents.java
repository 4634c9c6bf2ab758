package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.BindProposals;
import dev.mooring.control.Conditions;
import dev.mooring.control.EventProposals;
import dev.mooring.model.Draft;
import dev.mooring.model.EventReasons;
import dev.mooring.model.KubeEvent;
import dev.mooring.model.KubeEvent.InvolvedObject;
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
 * Reports provisioning progress in Events and the condition of the claim. Each Event is committed in the same event as
 * the change it reports, so it is recorded only if the change happens. Pure; thread-safe.
 */
record ProvisionEvents(World world, VolumeOperation operation, Instant now) {
    static final String FAILED = EventReasons.PROVISIONING_FAILED;
    static final String CLEANUP_FAILED = EventReasons.PROVISIONING_CLEANUP_FAILED;

    private static final String ACTOR = StorageNames.VOLUME_CONTROLLER_NAME;

    /**
     * Reasons this controller sets; conditions with other reasons belong to controllers that know better why the claim
     * waits.
     */
    private static final Set<String> OUR_REASONS = Set.of(Provisioning.IN_PROGRESS_REASON, FAILED);

    /** Records a Normal Event, or increments the count of an existing one. */
    Optional<Proposal> recordNormal(String reason, String message) {
        return EventProposals.recordEvent(
                world, KubeEvent.normal(claim(), reason, message, ACTOR), operation.cause(), now);
    }

    /** Records a Warning Event unless one of the same kind still exists. */
    Optional<Proposal> recordWarning(String reason, String message) {
        return EventProposals.recordEventOnce(
                world, KubeEvent.warning(claim(), reason, message, ACTOR), operation.cause(), now);
    }

    /** Returns a reference to the operation's claim, which may be gone. */
    private InvolvedObject claim() {
        return operation
                .claim()
                .map(ref ->
                        new InvolvedObject("v1", "PersistentVolumeClaim", ref.namespace(), ref.name(), ref.uid(), ""))
                .orElseGet(() -> InvolvedObject.of(operation.tree()));
    }

    /** Sets the claim's condition; empty if it is up to date or belongs to another controller. */
    Optional<Proposal> condition(Claim claim, String reason, String message) {
        Optional<ObjectNode> condition = Conditions.find(claim.tree(), BindProposals.BOUND_CONDITION);
        boolean ours = condition
                .map(each -> OUR_REASONS.contains(each.path("reason").asText("")))
                .orElse(true);
        // Other writers of this condition use the same text with a reason of their own.
        boolean changed = condition
                .filter(each -> each.path("message").asText("").equals(message))
                .isEmpty();
        if (!ours || !changed) {
            return Optional.empty();
        }
        ObjectNode next = claim.copy();
        Conditions.put(next, BindProposals.BOUND_CONDITION, "False", reason, message, now);
        return Optional.of(event(reason.equals(FAILED) ? FAILED : "ProvisioningResumed")
                .replace(claim.stored(), Draft.of(claim.key(), next))
                .build());
    }

    /** Returns the reason of a claim's condition; "" if it has none. */
    static String reason(Claim claim) {
        return Conditions.find(claim.tree(), BindProposals.BOUND_CONDITION)
                .map(each -> each.path("reason").asText(""))
                .orElse("");
    }

    Proposal.Builder event(String type) {
        return Proposal.by(ACTOR, type).because(operation.cause());
    }

    /** Merges two proposals into one event. */
    static Proposal combined(Proposal main, Optional<Proposal> also) {
        if (also.isEmpty()) {
            return main;
        }
        List<Proposal.Write> writes = new ArrayList<>(main.writes());
        writes.addAll(also.get().writes());
        List<Proposal.Expectation> expectations = new ArrayList<>(main.expectations());
        expectations.addAll(also.get().expectations());
        return new Proposal(main.type(), main.actor(), main.cause(), writes, expectations);
    }

    /** Merges two optional proposals into one event. */
    static Optional<Proposal> combined(Optional<Proposal> main, Optional<Proposal> also) {
        return main.map(each -> combined(each, also)).or(() -> also);
    }
}
