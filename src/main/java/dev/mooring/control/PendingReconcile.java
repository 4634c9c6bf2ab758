package dev.mooring.control;

import dev.mooring.model.ObjectKey;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A decision whose proposals are in flight. Collects their outcomes and keeps the worst one. Outcomes arrive on the
 * ledger's thread, which does no other work for the loop.
 */
final class PendingReconcile {
    private final ObjectKey key;
    private final Decision result;
    private final AtomicInteger remaining;
    private final AtomicReference<Outcome> worst = new AtomicReference<>();

    PendingReconcile(ObjectKey key, Decision decision) {
        this.key = key;
        this.result = decision;
        this.remaining = new AtomicInteger(decision.proposals().size());
    }

    ObjectKey key() {
        return key;
    }

    Decision result() {
        return result;
    }

    /** Records an outcome. Returns whether it was the last one. */
    boolean recordOutcome(Outcome outcome) {
        worst.accumulateAndGet(outcome, (has, other) -> has == null || severity(other) > severity(has) ? other : has);
        return remaining.decrementAndGet() == 0;
    }

    /** Returns the worst outcome. Valid once all outcomes are recorded. */
    Outcome outcome() {
        return worst.get();
    }

    private static int severity(Outcome outcome) {
        if (outcome instanceof Committed) {
            return 0;
        }
        return outcome instanceof Conflict ? 1 : 2;
    }
}
