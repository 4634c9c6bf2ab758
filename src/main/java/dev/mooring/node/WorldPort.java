package dev.mooring.node;

import dev.mooring.world.Ledger;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.concurrent.CompletionStage;

/** Read and write access to the World for effects. Thread-safe. */
public interface WorldPort {
    /** Returns the newest World; never older than a completed proposal. */
    World world();

    /** Submits a proposal. Never blocks, never throws. */
    CompletionStage<Outcome> propose(Proposal proposal);

    static WorldPort of(Ledger ledger) {
        return new WorldPort() {
            @Override
            public World world() {
                return ledger.world();
            }

            @Override
            public CompletionStage<Outcome> propose(Proposal proposal) {
                return ledger.propose(proposal);
            }
        };
    }
}
