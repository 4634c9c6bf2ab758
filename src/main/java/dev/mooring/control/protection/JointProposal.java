package dev.mooring.control.protection;

import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Merges a change and its Event into one event, so that the Event is recorded exactly if the change is committed. Pure.
 */
public final class JointProposal {
    private JointProposal() {}

    /**
     * @param change provides the event's type and cause
     * @param kubeEvent from {@link dev.mooring.control.EventProposals}; empty if no Event is to be recorded
     */
    public static Proposal of(Proposal change, Optional<Proposal> kubeEvent) {
        if (kubeEvent.isEmpty()) {
            return change;
        }
        List<Proposal.Write> writes = new ArrayList<>(change.writes());
        writes.addAll(kubeEvent.get().writes());
        List<Proposal.Expectation> expectations = new ArrayList<>(change.expectations());
        expectations.addAll(kubeEvent.get().expectations());
        return new Proposal(change.type(), change.actor(), change.cause(), writes, expectations);
    }
}
