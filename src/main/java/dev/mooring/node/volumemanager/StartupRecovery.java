package dev.mooring.node.volumemanager;

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
 * Delays the node's operations until {@link Recovery} is complete. Runs once per process, and again if it failed.
 * Thread-safe.
 */
public final class StartupRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(StartupRecovery.class);

    /** Recovery makes nothing else uncertain, so the second round finds nothing without concurrent writes. */
    private static final int MAX_ROUNDS = 20;

    private final NodeContext node;
    private final Supplier<ObservedMachine.Observer> observer;
    private final WorldPort world;
    private final Clock clock;
    private final Consumer<ObservedMachine> onRecovered;
    private boolean recovered;

    /**
     * Creates the recovery.
     *
     * @param observer created when needed
     */
    public StartupRecovery(
            NodeContext node, Supplier<ObservedMachine.Observer> observer, WorldPort world, Clock clock) {
        this(node, observer, world, clock, unused -> {});
    }

    /**
     * Creates the recovery.
     *
     * @param afterwards called with the machine's state when recovery is complete; may block
     */
    public StartupRecovery(
            NodeContext node,
            Supplier<ObservedMachine.Observer> observer,
            WorldPort world,
            Clock clock,
            Consumer<ObservedMachine> afterwards) {
        this.node = node;
        this.observer = observer;
        this.world = world;
        this.clock = clock;
        this.onRecovered = afterwards;
    }

    /** Returns a verticle that deploys the given one after recovery, and has started when that has. */
    public VerticleBase guard(Supplier<? extends VerticleBase> next) {
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

    /** Runs the recovery. Blocks until all uncertain state is recorded. */
    synchronized void recover() throws VolumeException, InterruptedException {
        if (recovered) {
            return;
        }
        ObservedMachine machine = observer.get().observe();
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
                        .log("Recovered volume state of this node");
                onRecovered.accept(machine);
                return;
            }
            for (Proposal each : proposals) {
                written += write(each);
            }
        }
        throw VolumeException.uncertain(
                "RecoveryUnsettled",
                "The state of this node's volumes is still uncertain after " + MAX_ROUNDS
                        + " rounds of recovery; check whether another process uses this node's name",
                "");
    }

    private int write(Proposal proposal) throws VolumeException, InterruptedException {
        try {
            Outcome outcome = world.propose(proposal).toCompletableFuture().get();
            if (outcome instanceof Outcome.Refused refused) {
                throw VolumeException.uncertain(
                        "LedgerRefused", "Failed to record uncertain volumes: " + refused.message(), "");
            }
            return outcome instanceof Outcome.Committed ? 1 : 0;
        } catch (ExecutionException e) {
            throw VolumeException.uncertain(
                    "LedgerFailed", "Failed to record uncertain volumes: " + e.getCause(), e.toString());
        }
    }
}
