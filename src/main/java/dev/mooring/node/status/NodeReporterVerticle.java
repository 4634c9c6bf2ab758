package dev.mooring.node.status;

import dev.mooring.node.WorldPort;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has this machine's node beat, and its Node kept true by a {@link NodeReporter}. The machine is looked at on a worker, one look at a
 * time: a disk that does not answer keeps the Node as it was, but the node goes on to beat.
 *
 * <p>Holds nothing that matters: killed anywhere, the next one finds in the World what is left to do.
 */
public final class NodeReporterVerticle extends VerticleBase {
    /** As a kubelet does. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(NodeReporterVerticle.class);

    /** What has to happen at most, each lost to somebody else a few times. What is left then has time until the next beat. */
    private static final int MAX_STEPS = 16;

    private final NodeReporter reporter;
    private final Machine machine;
    private final Heartbeat heartbeat;
    private final WorldPort world;
    private final Clock clock;
    private final Duration interval;
    private final NodeNews news;
    private boolean looking;
    private boolean again;
    private boolean stopped;

    /**
     * @param interval between two beats
     * @param news what is reported without waiting for the next
     */
    public NodeReporterVerticle(
            NodeReporter reporter,
            Machine machine,
            Heartbeat heartbeat,
            WorldPort world,
            Clock clock,
            Duration interval,
            NodeNews news) {
        this.reporter = reporter;
        this.machine = machine;
        this.heartbeat = heartbeat;
        this.world = world;
        this.clock = clock;
        this.interval = interval;
        this.news = news;
    }

    /** Up at once: the first report follows. */
    @Override
    public Future<?> start() {
        news.lead(() -> context.runOnContext(unused -> round()));
        vertx.setPeriodic(interval.toMillis(), unused -> round());
        context.runOnContext(unused -> round());
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        return Future.succeededFuture();
    }

    private void round() {
        if (stopped) {
            return;
        }
        beat();
        if (looking) {
            again = true;
            return;
        }
        looking = true;
        again = false;
        vertx.executeBlocking(machine::read, false).onComplete(facts -> step(facts, MAX_STEPS), cause -> {
            looking = false;
            LOG.atWarn()
                    .addKeyValue("node", reporter.node())
                    .setCause(cause)
                    .log("Expected to look at this machine, but failed; its Node stays as it was");
        });
    }

    private void beat() {
        if (world.world().get(NodeReporter.leaseOf(reporter.node())).isPresent()) {
            heartbeat.beat(reporter.node(), clock.instant());
        }
    }

    private void step(MachineFacts facts, int left) {
        Optional<Proposal> next =
                stopped || left == 0 ? Optional.empty() : reporter.next(world.world(), facts, clock.instant());
        if (next.isEmpty()) {
            looking = false;
            if (again) {
                round();
            }
            return;
        }
        world.propose(next.get()).thenAccept(outcome -> context.runOnContext(unused -> answered(facts, left, outcome)));
    }

    private void answered(MachineFacts facts, int left, Outcome outcome) {
        if (outcome instanceof Outcome.Refused refused) {
            looking = false;
            LOG.atWarn()
                    .addKeyValue("node", reporter.node())
                    .addKeyValue("reason", refused.reason())
                    .log("The ledger does not take what this node reports: {}", refused.message());
            return;
        }
        step(facts, left - 1);
    }
}
