package dev.mooring.node.status;

import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.node.WorldPort;
import dev.mooring.sim.SimSerialExecutor;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;

/** Reports the node like {@link NodeReporterVerticle}, on a simulated executor and in virtual time. */
public final class SimulatedNodeReporter {
    private static final int MAX_STEPS = 16;

    private final NodeReporter reporter;
    private final NodeReporterVerticle.MachineFactsReader machine;
    private final NodeReporterVerticle.LeaseRenewer leaseRenewer;
    private final WorldPort world;
    private final Clock clock;
    private final RuntimeStatusHolder runtimeStatus;
    private final SimTaskGroup tasks;
    private final SimSerialExecutor executor;
    private boolean reading;
    private boolean rerun;
    private Optional<ReportedState> reported = Optional.empty();

    /** Inputs of the last report. The reporter is a pure function: it proposes nothing until one of them changes. */
    private record ReportedState(
            MachineFacts facts, RuntimeStatusHolder.RuntimeStatus engine, long node, boolean lease) {}

    public SimulatedNodeReporter(
            NodeReporter reporter,
            NodeReporterVerticle.MachineFactsReader machine,
            NodeReporterVerticle.LeaseRenewer leaseRenewer,
            WorldPort world,
            Clock clock,
            RuntimeStatusHolder runtimeStatus,
            SimTaskGroup tasks) {
        this.reporter = reporter;
        this.machine = machine;
        this.leaseRenewer = leaseRenewer;
        this.world = world;
        this.clock = clock;
        this.runtimeStatus = runtimeStatus;
        this.tasks = tasks;
        this.executor = tasks.executor("reporter");
    }

    public void start() {
        runtimeStatus.setListener(() -> executor.execute(this::report));
        executor.execute(this::renewPeriodically);
    }

    private void renewPeriodically() {
        Duration interval = NodeReporterVerticle.DEFAULT_INTERVAL;
        tasks.after(interval, executor, this::renewPeriodically);
        report();
    }

    private void report() {
        if (world.world().get(NodeReporter.leaseOf(reporter.node())).isPresent()) {
            leaseRenewer.renew(reporter.node(), clock.instant());
        }
        if (reading) {
            rerun = true;
            return;
        }
        reading = true;
        rerun = false;
        try {
            reportStep(machine.read(), MAX_STEPS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private ReportedState currentState(MachineFacts facts) {
        long node = world.world()
                .get(Node.key(reporter.node()))
                .map(StoredObject::revision)
                .orElse(0L);
        boolean lease = world.world().get(NodeReporter.leaseOf(reporter.node())).isPresent();
        return new ReportedState(facts, runtimeStatus.status(), node, lease);
    }

    private void reportStep(MachineFacts facts, int left) {
        ReportedState state = currentState(facts);
        boolean unchanged = reported.filter(state::equals).isPresent();
        Optional<Proposal> next =
                unchanged || left == 0 ? Optional.empty() : reporter.next(world.world(), facts, clock.instant());
        if (next.isEmpty()) {
            reported = left == 0 ? Optional.empty() : Optional.of(state);
            reading = false;
            if (rerun) {
                report();
            }
            return;
        }
        world.propose(next.get()).thenAccept(outcome -> executor.execute(() -> onOutcome(facts, left, outcome)));
    }

    private void onOutcome(MachineFacts facts, int left, Outcome outcome) {
        if (outcome instanceof Outcome.Refused) {
            reading = false;
            return;
        }
        reportStep(facts, left - 1);
    }
}
