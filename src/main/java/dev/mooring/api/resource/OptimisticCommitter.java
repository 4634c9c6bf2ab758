package dev.mooring.api.resource;

import dev.mooring.api.Status;
import dev.mooring.api.StatusException;
import dev.mooring.model.ObjectKey;
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
 * Commits with optimistic concurrency: decides by the newest World, proposes, and decides again if the World has
 * changed meanwhile. Thread-safe.
 *
 * <p>The first decision runs on the caller's thread, later ones on {@code back}; the response is delivered on
 * {@code back}.
 */
final class OptimisticCommitter {
    /**
     * Maximum number of attempts. Every conflict means that another writer succeeded, so there is always progress; one
     * writer fails this often only if dozens write the same object without a resourceVersion.
     */
    private static final int ATTEMPTS = 64;

    private final Ledger ledger;

    /** The decision about a request, for one World. */
    sealed interface WriteDecision {}

    /** Nothing has to be committed. */
    record RespondOnly(WriteResponse response) implements WriteDecision {}

    /**
     * A proposal to commit.
     *
     * @param resultIndex index of the proposal's write that the response contains
     */
    record ProposeAndRespond(Proposal proposal, int resultIndex, Function<StoredObject, WriteResponse> response)
            implements WriteDecision {}

    OptimisticCommitter(Ledger ledger) {
        this.ledger = ledger;
    }

    World world() {
        return ledger.world();
    }

    /**
     * @param decide throws {@link StatusException} if the request is refused. Called again after a conflict, and must
     *     then check again whether the request is still valid
     */
    CompletionStage<WriteResponse> run(Function<World, WriteDecision> decide, Executor back) {
        return attempt(decide, back, ATTEMPTS);
    }

    private CompletionStage<WriteResponse> attempt(Function<World, WriteDecision> decide, Executor back, int left) {
        WriteDecision step = decide.apply(ledger.world());
        if (step instanceof RespondOnly done) {
            return CompletableFuture.completedFuture(done.response());
        }
        ProposeAndRespond commit = (ProposeAndRespond) step;
        return ledger.propose(commit.proposal())
                .thenComposeAsync(outcome -> handleOutcome(outcome, commit, decide, back, left), back);
    }

    private CompletionStage<WriteResponse> handleOutcome(
            Outcome outcome, ProposeAndRespond commit, Function<World, WriteDecision> decide, Executor back, int left) {
        if (outcome instanceof Committed committed) {
            StoredObject object =
                    committed.event().changes().get(commit.resultIndex()).object();
            return CompletableFuture.completedFuture(commit.response().apply(object));
        }
        if (outcome instanceof Conflict conflict) {
            if (left > 1) {
                return attempt(decide, back, left - 1);
            }
            throw new StatusException(
                    Status.tooManyRequests("too many concurrent writes to " + conflict.key() + "; try again", 1));
        }
        throw new StatusException(refusal((Refused) outcome, commit));
    }

    private static String named(ProposeAndRespond commit) {
        ObjectKey key = commit.proposal().writes().get(commit.resultIndex()).key();
        return key.resource() + " \"" + key.name() + "\"";
    }

    private static Status refusal(Refused refused, ProposeAndRespond commit) {
        return switch (refused.reason()) {
            case OVERLOADED -> Status.tooManyRequests(refused.message(), 1);
            case STOPPED -> Status.unavailable(refused.message(), 1);
            case READ_ONLY -> Status.unavailable(refused.message(), 10);
            case INVALID -> new Status(413, "RequestEntityTooLarge", refused.message());
            case QUOTA -> Status.forbidden(named(commit) + " is forbidden: " + refused.message());
            case FULL -> new Status(507, "InsufficientStorage", named(commit) + ": " + refused.message());
        };
    }
}
