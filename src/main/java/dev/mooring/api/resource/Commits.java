package dev.mooring.api.resource;

import dev.mooring.api.status.Status;
import dev.mooring.api.status.StatusException;
import dev.mooring.model.StoredObject;
import dev.mooring.world.Ledger;
import dev.mooring.world.Outcome;
import dev.mooring.world.Outcome.Committed;
import dev.mooring.world.Outcome.Conflict;
import dev.mooring.world.Outcome.Refused;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Decides upon the newest World, proposes, and looks again when the World has moved on meanwhile. Thread-safe.
 *
 * <p>Decisions are made on the caller's thread and, after a lost race, on {@code back}; the answer comes on {@code back}.
 */
final class Commits {
    /**
     * Each lost race means that somebody else won one, so all writers together always get ahead; one writer loses this often only among
     * dozens who write the same object without saying which revision they saw.
     */
    private static final int ATTEMPTS = 64;

    private final Ledger ledger;

    /** What to do about a request, as of some World. */
    sealed interface Step {}

    /** Nothing needs to be committed. */
    record Done(Answer answer) implements Step {}

    /**
     * To be committed.
     *
     * @param about which of the proposal's writes the answer shows
     */
    record Commit(Proposal proposal, int about, Function<StoredObject, Answer> answer) implements Step {}

    Commits(Ledger ledger) {
        this.ledger = ledger;
    }

    World world() {
        return ledger.world();
    }

    /**
     * @param decide throws {@link StatusException} if the request cannot be granted. It is called again after a lost race, and must then find
     *     out itself whether the request still makes sense
     */
    CompletionStage<Answer> run(Function<World, Step> decide, Executor back) {
        return attempt(decide, back, ATTEMPTS);
    }

    private CompletionStage<Answer> attempt(Function<World, Step> decide, Executor back, int left) {
        Step step = decide.apply(ledger.world());
        if (step instanceof Done done) {
            return CompletableFuture.completedFuture(done.answer());
        }
        Commit commit = (Commit) step;
        return ledger.propose(commit.proposal())
                .thenComposeAsync(outcome -> settle(outcome, commit, decide, back, left), back);
    }

    private CompletionStage<Answer> settle(
            Outcome outcome, Commit commit, Function<World, Step> decide, Executor back, int left) {
        if (outcome instanceof Committed committed) {
            StoredObject object =
                    committed.event().changes().get(commit.about()).object();
            return CompletableFuture.completedFuture(commit.answer().apply(object));
        }
        if (outcome instanceof Conflict conflict) {
            if (left > 1) {
                return attempt(decide, back, left - 1);
            }
            throw new StatusException(
                    Status.tooManyRequests("too many writers change " + conflict.key() + " at once; try again", 1));
        }
        throw new StatusException(refusal((Refused) outcome));
    }

    private static Status refusal(Refused refused) {
        return switch (refused.reason()) {
            case OVERLOADED -> Status.tooManyRequests(refused.message(), 1);
            case STOPPED -> Status.unavailable(refused.message(), 1);
            case READ_ONLY -> Status.unavailable(refused.message(), 10);
            case INVALID -> new Status(413, "RequestEntityTooLarge", refused.message());
        };
    }
}
