package dev.mooring.node.status;

import dev.mooring.node.WorldPort;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews the node's Lease and updates its Node through a {@link NodeReporter}. Reads the machine's state on a worker
 * thread, one read at a time: an unresponsive disk keeps the Node unchanged, but the Lease is still renewed.
 *
 * <p>Has no state that must survive: after a crash, the next one finds the remaining updates in the World.
 */
public final class NodeReporterVerticle extends VerticleBase {
    /** The kubelet's interval. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(NodeReporterVerticle.class);

    /** Limit of updates per report, including a few conflicts. The next report continues. */
    private static final int MAX_STEPS = 16;

    private final NodeReporter reporter;
    private final MachineFactsReader machine;
    private final LeaseRenewer leaseRenewer;
    private final WorldPort world;
    private final Clock clock;
    private final Duration interval;
    private final RuntimeStatusHolder runtimeStatus;
    private boolean reading;
    private boolean rerun;
    private boolean stopped;

    /**
     * Creates a verticle.
     *
     * @param interval between two reports
     * @param news changes that are reported at once
     */
    public NodeReporterVerticle(
            NodeReporter reporter,
            MachineFactsReader machine,
            LeaseRenewer heartbeat,
            WorldPort world,
            Clock clock,
            Duration interval,
            RuntimeStatusHolder news) {
        this.reporter = reporter;
        this.machine = machine;
        this.leaseRenewer = heartbeat;
        this.world = world;
        this.clock = clock;
        this.interval = interval;
        this.runtimeStatus = news;
    }

    /** Completes at once: the first report follows. */
    @Override
    public Future<?> start() {
        runtimeStatus.setListener(() -> context.runOnContext(unused -> report()));
        vertx.setPeriodic(interval.toMillis(), unused -> report());
        context.runOnContext(unused -> report());
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        return Future.succeededFuture();
    }

    private void report() {
        if (stopped) {
            return;
        }
        renewLease();
        if (reading) {
            rerun = true;
            return;
        }
        reading = true;
        rerun = false;
        vertx.executeBlocking(machine::read, false).onComplete(facts -> reportStep(facts, MAX_STEPS), cause -> {
            reading = false;
            LOG.atWarn()
                    .addKeyValue("node", reporter.node())
                    .setCause(cause)
                    .log("Failed to read machine state; Node is not updated");
        });
    }

    private void renewLease() {
        if (world.world().get(NodeReporter.leaseOf(reporter.node())).isPresent()) {
            leaseRenewer.renew(reporter.node(), clock.instant());
        }
    }

    private void reportStep(MachineFacts facts, int left) {
        Optional<Proposal> next =
                stopped || left == 0 ? Optional.empty() : reporter.next(world.world(), facts, clock.instant());
        if (next.isEmpty()) {
            reading = false;
            if (rerun) {
                report();
            }
            return;
        }
        world.propose(next.get())
                .thenAccept(outcome -> context.runOnContext(unused -> onOutcome(facts, left, outcome)));
    }

    private void onOutcome(MachineFacts facts, int left, Outcome outcome) {
        if (outcome instanceof Outcome.Refused refused) {
            reading = false;
            LOG.atWarn()
                    .addKeyValue("node", reporter.node())
                    .addKeyValue("reason", refused.reason())
                    .log("Ledger rejected node status: {}", refused.message());
            return;
        }
        reportStep(facts, left - 1);
    }

    /** Renews node Leases. A renewal is no event and is not written to the event log. */
    public interface LeaseRenewer {
        /**
         * Renews the node's Lease. Returns at once; never throws for a Lease that is gone. Called from an event loop.
         */
        void renew(String node, Instant now);
    }

    /** Reads the state of the machine. */
    public interface MachineFactsReader {
        /**
         * Reads the state. May block, so never call it from an event loop.
         *
         * @throws IOException if a basic property cannot be read
         */
        MachineFacts read() throws IOException;
    }
}
