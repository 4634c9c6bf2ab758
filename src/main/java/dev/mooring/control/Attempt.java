package dev.mooring.control;

import dev.mooring.model.ObjectKey;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A decision on its way through the ledger: waits until each of its proposals is answered, and keeps the worst answer. The answers come
 * on the ledger's thread, which gets to do no more than this.
 */
final class Attempt {
    private final ObjectKey key;
    private final Decision decision;
    private final AtomicInteger unanswered;
    private final AtomicReference<Outcome> worst = new AtomicReference<>();

    Attempt(ObjectKey key, Decision decision) {
        this.key = key;
        this.decision = decision;
        this.unanswered = new AtomicInteger(decision.proposals().size());
    }

    ObjectKey key() {
        return key;
    }

    Decision decision() {
        return decision;
    }

    /** Takes an answer; whether it was the last. */
    boolean answered(Outcome outcome) {
        worst.accumulateAndGet(outcome, (has, other) -> has == null || badness(other) > badness(has) ? other : has);
        return unanswered.decrementAndGet() == 0;
    }

    /** The worst of the answers, once there are all. */
    Outcome outcome() {
        return worst.get();
    }

    private static int badness(Outcome outcome) {
        if (outcome instanceof Committed) {
            return 0;
        }
        return outcome instanceof Conflict ? 1 : 2;
    }
}
