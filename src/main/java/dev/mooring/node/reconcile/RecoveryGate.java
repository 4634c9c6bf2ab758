package dev.mooring.node.reconcile;

import dev.mooring.node.WorldPort;
import dev.mooring.volume.VolumeException;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets nobody begin anything before it is known what is true: {@link Recovery} is done once in a process, again if it failed. Thread-safe.
 */
public final class RecoveryGate {
    private static final Logger LOG = LoggerFactory.getLogger(RecoveryGate.class);

    /** What is written makes nothing doubtful, so the second round finds nothing unless somebody else wrote meanwhile. */
    private static final int MAX_ROUNDS = 20;

    private final NodeParts node;
    private final Supplier<Machine.Look> look;
    private final WorldPort world;
    private final Clock clock;
    private final Consumer<Machine> afterwards;
    private boolean recovered;

    /** @param look made when it is needed */
    public RecoveryGate(NodeParts node, Supplier<Machine.Look> look, WorldPort world, Clock clock) {
        this(node, look, world, clock, unused -> {});
    }

    /** @param afterwards is given what the machine has, once all of it that is known is written down; may block */
    public RecoveryGate(
            NodeParts node, Supplier<Machine.Look> look, WorldPort world, Clock clock, Consumer<Machine> afterwards) {
        this.node = node;
        this.look = look;
        this.world = world;
        this.clock = clock;
        this.afterwards = afterwards;
    }

    /** A verticle that is up when the other is, which it starts when the gate is open. */
    public VerticleBase before(Supplier<? extends VerticleBase> next) {
        return new VerticleBase() {
            @Override
            public Future<?> start() {
                return vertx.executeBlocking(() -> {
                            recover();
                            return null;
                        })
                        .compose(unused -> vertx.deployVerticle(next.get()));
            }
        };
    }

    /** Blocks until everything that is doubtful is written down. */
    synchronized void recover() throws VolumeException, InterruptedException {
        if (recovered) {
            return;
        }
        Machine machine = look.get().take();
        int written = 0;
        for (int round = 0; round < MAX_ROUNDS; round++) {
            List<Proposal> proposals = new Recovery(node, world.world(), machine, clock.instant()).decide();
            if (proposals.isEmpty()) {
                recovered = true;
                LOG.atInfo()
                        .addKeyValue("node", node.name())
                        .addKeyValue("mounts", machine.mounts().mounts().size())
                        .addKeyValue("volumes", machine.volumes().size())
                        .addKeyValue("uncertain", written)
                        .log("Compared what the log says of this node's volumes with the machine");
                afterwards.accept(machine);
                return;
            }
            for (Proposal each : proposals) {
                written += write(each);
            }
        }
        throw VolumeException.uncertain(
                "RecoveryUnsettled",
                "Expected to be done with what is doubtful about this node's volumes after " + MAX_ROUNDS
                        + " rounds, but there is always more; is another process using this node's name?",
                "");
    }

    private int write(Proposal proposal) throws VolumeException, InterruptedException {
        try {
            Outcome outcome = world.propose(proposal).toCompletableFuture().get();
            if (outcome instanceof Outcome.Refused refused) {
                throw VolumeException.uncertain(
                        "LedgerRefused", "Expected to write down what is doubtful, but " + refused.message(), "");
            }
            return outcome instanceof Outcome.Committed ? 1 : 0;
        } catch (ExecutionException e) {
            throw VolumeException.uncertain(
                    "LedgerFailed", "Expected to write down what is doubtful, but " + e.getCause(), e.toString());
        }
    }
}
