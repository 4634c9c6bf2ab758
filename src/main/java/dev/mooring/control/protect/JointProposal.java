package dev.mooring.control.protect;

import dev.mooring.world.Proposal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A change and the words about it as one event: the user is told what happened, and only if it happened. Pure. */
public final class JointProposal {
    private JointProposal() {}

    /**
     * @param change gives the event its type and cause
     * @param notice as {@link dev.mooring.control.Notices} makes it; nothing if nobody would read it
     */
    public static Proposal of(Proposal change, Optional<Proposal> notice) {
        if (notice.isEmpty()) {
            return change;
        }
        List<Proposal.Write> writes = new ArrayList<>(change.writes());
        writes.addAll(notice.get().writes());
        List<Proposal.Expectation> expectations = new ArrayList<>(change.expectations());
        expectations.addAll(notice.get().expectations());
        return new Proposal(change.type(), change.actor(), change.cause(), writes, expectations);
    }
}
