package dev.mooring.control;

import dev.mooring.world.Proposal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a controller wants done about a key.
 *
 * @param proposals each stands for itself, with what it was decided upon as its preconditions; they are sent in this order
 * @param lookAgain how long after they have all happened the key is to be looked at again even if nothing changes; nothing if a
 *     change will tell
 */
public record Decision(List<Proposal> proposals, Optional<Duration> lookAgain) {
    private static final Decision NOTHING = new Decision(List.of(), Optional.empty());

    public Decision {
        proposals = List.copyOf(proposals);
    }

    /** All is as it should be, or somebody else must do something first. */
    public static Decision nothing() {
        return NOTHING;
    }

    public static Decision of(List<Proposal> proposals) {
        return proposals.isEmpty() ? NOTHING : new Decision(proposals, Optional.empty());
    }

    public static Decision of(Proposal... proposals) {
        return of(List.of(proposals));
    }

    public static Decision of(Optional<Proposal> proposal) {
        return proposal.map(Decision::of).orElse(NOTHING);
    }

    public Decision lookAgainAfter(Duration delay) {
        return new Decision(proposals, Optional.of(delay.isNegative() ? Duration.ZERO : delay));
    }

    public Decision lookAgainAt(Instant due, Instant now) {
        return lookAgainAfter(Duration.between(now, due));
    }
}
