package dev.mooring.sim.node;

import dev.mooring.node.WorldPort;
import dev.mooring.sim.SimThread;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** World port for code that blocks until the ledger has answered; it waits in virtual time. */
record BlockingWorldPort(WorldPort delegate) implements WorldPort {
    @Override
    public World world() {
        return delegate.world();
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        BlockingFuture result = new BlockingFuture();
        delegate.propose(proposal).whenComplete((outcome, failed) -> {
            if (failed == null) {
                result.complete(outcome);
            } else {
                result.completeExceptionally(failed);
            }
        });
        return result;
    }

    private static final class BlockingFuture extends CompletableFuture<Outcome> {
        @Override
        public Outcome get() throws InterruptedException, ExecutionException {
            for (long millis = 1; !isDone(); millis = Math.min(2 * millis, 2000)) {
                SimThread.pause(Duration.ofMillis(millis));
            }
            return super.get();
        }
    }
}
