package dev.mooring.node.status;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.node.WorldPort;
import dev.mooring.sim.Living;
import dev.mooring.sim.Strand;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** What {@link NodeReporterVerticle} does, on a strand and in virtual time. */
public final class SimReporter {
    private static final int MAX_STEPS = 16;

    private final NodeReporter reporter;
    private final Machine machine;
    private final Heartbeat heartbeat;
    private final WorldPort world;
    private final Clock clock;
    private final NodeNews news;
    private final Living life;
    private final Strand strand;
    private boolean looking;
    private boolean again;
    private Optional<Said> said = Optional.empty();

    /** What there was when there was nothing left to say. Who says so is pure, so there is nothing to say until one of these changes. */
    private record Said(MachineFacts facts, EngineSight engine, long node, boolean lease) {}

    public SimReporter(
            NodeReporter reporter,
            Machine machine,
            Heartbeat heartbeat,
            WorldPort world,
            Clock clock,
            NodeNews news,
            Living life) {
        this.reporter = reporter;
        this.machine = machine;
        this.heartbeat = heartbeat;
        this.world = world;
        this.clock = clock;
        this.news = news;
        this.life = life;
        this.strand = life.strand("reporter");
    }

    public void start() {
        news.lead(() -> strand.execute(this::round));
        strand.execute(this::beatForEver);
    }

    private void beatForEver() {
        Duration interval = NodeReporterVerticle.DEFAULT_INTERVAL;
        life.after(interval, strand, this::beatForEver);
        round();
    }

    private void round() {
        if (world.world().get(NodeReporter.leaseOf(reporter.node())).isPresent()) {
            heartbeat.beat(reporter.node(), clock.instant());
        }
        if (looking) {
            again = true;
            return;
        }
        looking = true;
        again = false;
        try {
            step(machine.read(), MAX_STEPS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Said now(MachineFacts facts) {
        long node = world.world()
                .get(Node.key(reporter.node()))
                .map(StoredObject::revision)
                .orElse(0L);
        boolean lease = world.world().get(NodeReporter.leaseOf(reporter.node())).isPresent();
        return new Said(facts, news.engine(), node, lease);
    }

    private void step(MachineFacts facts, int left) {
        Said now = now(facts);
        boolean known = said.filter(now::equals).isPresent();
        Optional<Proposal> next =
                known || left == 0 ? Optional.empty() : reporter.next(world.world(), facts, clock.instant());
        if (next.isEmpty()) {
            said = left == 0 ? Optional.empty() : Optional.of(now);
            looking = false;
            if (again) {
                round();
            }
            return;
        }
        world.propose(next.get()).thenAccept(outcome -> strand.execute(() -> answered(facts, left, outcome)));
    }

    private void answered(MachineFacts facts, int left, Outcome outcome) {
        if (outcome instanceof Outcome.Refused) {
            looking = false;
            return;
        }
        step(facts, left - 1);
    }
}
