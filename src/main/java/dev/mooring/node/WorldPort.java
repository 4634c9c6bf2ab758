package dev.mooring.node;

import dev.mooring.world.Ledger;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.util.concurrent.CompletionStage;

/** The World for effects: what is, and the way to change it. Thread-safe. */
public interface WorldPort {
    /** The newest one. Never older than a proposal that was answered. */
    World world();

    /** Asks for something to happen. Never blocks, never throws. */
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
