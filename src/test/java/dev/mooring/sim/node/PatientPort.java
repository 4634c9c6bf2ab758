package dev.mooring.sim.node;

import dev.mooring.node.WorldPort;
import dev.mooring.sim.Carrier;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** For code that blocks until the ledger has answered: here it waits in virtual time. */
record PatientPort(WorldPort world0) implements WorldPort {
    @Override
    public World world() {
        return world0.world();
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        Patient answer = new Patient();
        world0.propose(proposal).whenComplete((outcome, failed) -> {
            if (failed == null) {
                answer.complete(outcome);
            } else {
                answer.completeExceptionally(failed);
            }
        });
        return answer;
    }

    private static final class Patient extends CompletableFuture<Outcome> {
        @Override
        public Outcome get() throws InterruptedException, ExecutionException {
            for (long millis = 1; !isDone(); millis = Math.min(2 * millis, 2000)) {
                Carrier.pause(Duration.ofMillis(millis));
            }
            return super.get();
        }
    }
}
