package dev.mooring.control;

import dev.mooring.world.Proposal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of reconciling a key.
 *
 * @param proposals independent of each other, each with its preconditions; sent in this order
 * @param requeueAfter delay after all proposals are committed until the key is reconciled again even without a change;
 *     empty if a change will enqueue the key
 */
public record Decision(List<Proposal> proposals, Optional<Duration> requeueAfter) {
    private static final Decision NONE = new Decision(List.of(), Optional.empty());

    public Decision {
        proposals = List.copyOf(proposals);
    }

    /** Returns the empty decision: the object is as desired, or another actor must act first. */
    public static Decision none() {
        return NONE;
    }

    public static Decision of(List<Proposal> proposals) {
        return proposals.isEmpty() ? NONE : new Decision(proposals, Optional.empty());
    }

    public static Decision of(Proposal... proposals) {
        return of(List.of(proposals));
    }

    public static Decision of(Optional<Proposal> proposal) {
        return proposal.map(Decision::of).orElse(NONE);
    }

    public Decision requeueAfter(Duration delay) {
        return new Decision(proposals, Optional.of(delay.isNegative() ? Duration.ZERO : delay));
    }

    public Decision requeueAt(Instant due, Instant now) {
        return requeueAfter(Duration.between(now, due));
    }
}
