package dev.mooring.control;

import dev.mooring.world.Proposal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The result of reconciling a key. A value: nothing happens until the controller's loop commits the proposals and then
 * hands the effects to the {@link EffectExecutor}.
 *
 * @param proposals independent of each other, each with its preconditions; sent in this order
 * @param effects started in this order when all proposals are committed, and dropped if one is not: the key is then
 *     reconciled again
 * @param requeueAfter delay after all proposals are committed until the key is reconciled again even without a change;
 *     empty if a change will enqueue the key
 */
public record Decision(List<Proposal> proposals, List<Effect> effects, Optional<Duration> requeueAfter) {
    private static final Decision NONE = new Decision(List.of(), List.of(), Optional.empty());

    public Decision {
        proposals = List.copyOf(proposals);
        effects = List.copyOf(effects);
    }

    /** Returns the empty decision: the object is as desired, or another actor must act first. */
    public static Decision none() {
        return NONE;
    }

    public static Decision of(List<Proposal> proposals) {
        return proposals.isEmpty() ? NONE : new Decision(proposals, List.of(), Optional.empty());
    }

    public static Decision of(Proposal... proposals) {
        return of(List.of(proposals));
    }

    public static Decision of(Optional<Proposal> proposal) {
        return proposal.map(Decision::of).orElse(NONE);
    }

    /** Returns this decision with effects instead of those it has. */
    public Decision withEffects(List<? extends Effect> effects) {
        return new Decision(proposals, List.copyOf(effects), requeueAfter);
    }

    public Decision withEffects(Effect... effects) {
        return withEffects(List.of(effects));
    }

    public Decision requeueAfter(Duration delay) {
        return new Decision(proposals, effects, Optional.of(delay.isNegative() ? Duration.ZERO : delay));
    }

    public Decision requeueAt(Instant due, Instant now) {
        return requeueAfter(Duration.between(now, due));
    }
}
