package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.ControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.model.Event;
import dev.mooring.model.view.VolumeOperation;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A node's VolumeOperation controller and executor without threads: the test runs each task, commit and timer, and can
 * kill the process in between. Only the World and the disks of the workers survive that.
 */
final class WorkFixture implements WorldPort {
    static final String NODE = "n1";
    static final WorkLimits LIMITS = new WorkLimits(4, 2, Duration.ofMinutes(2));

    final FakeWorker local = new FakeWorker("mooring.dev/hostpath");
    final FakeWorker nfs = new FakeWorker("mooring.dev/nfs");
    final Deque<Runnable> threads = new ArrayDeque<>();
    final Deque<Runnable> commits = new ArrayDeque<>();
    final List<String> reported = new ArrayList<>();
    int refusals;

    private Duration passed = Duration.ZERO;
    private TestScheduler timers;
    private ControllerFixture world;
    private WorkExecutor executor;

    WorkFixture(String yaml) {
        begin(WorldFixture.of(yaml));
    }

    private void begin(World start) {
        timers = new TestScheduler();
        threads.clear();
        commits.clear();
        WorkContext context = new WorkContext(this, new FixtureClock(), timers, threads::add);
        executor = new WorkExecutor(NODE, new VolumeWorkers(List.of(local, nfs))::perform, LIMITS, context);
        beginController(start);
    }

    private void beginController(World start) {
        world = new ControllerFixture(new VolumeOperationController(NODE), executor, start);
        world.advance(passed);
    }

    /** Kills the process: only the World and the disks survive. */
    void crash() {
        begin(world.world());
    }

    /** Restarts the controller; the executor continues. */
    void restartController() {
        beginController(world.world());
    }

    WorkExecutor executor() {
        return executor;
    }

    ControllerFixture controller() {
        return world;
    }

    /** Runs the next step; returns whether there was one. */
    boolean step() {
        world.settle();
        if (!threads.isEmpty()) {
            threads.poll().run();
            return true;
        }
        if (!commits.isEmpty()) {
            commits.poll().run();
            return true;
        }
        int before = threads.size() + commits.size();
        timers.triggerActions();
        return threads.size() + commits.size() != before;
    }

    /** Runs everything that needs no time. */
    WorkFixture settle() {
        for (int i = 0; step(); i++) {
            assertThat(i).as("steps").isLessThan(1000);
        }
        world.settle();
        return this;
    }

    WorkFixture pass(Duration time) {
        passed = passed.plus(time);
        world.advance(time);
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        return settle();
    }

    /** Advances the clock of timers only, as during the call of a worker. */
    void passWhileWorking(Duration time) {
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Changes an operation as another writer does. */
    void change(String name, Consumer<ObjectNode> change) {
        ObjectNode object = tree(name);
        change.accept(object);
        world.put(object.toString());
    }

    ObjectNode tree(String name) {
        return WorldFixture.tree(world.world(), "volumeoperations.mooring.dev/" + name);
    }

    VolumeOperation operation(String name) {
        return VolumeOperation.of(world.world().get(VolumeOperation.key(name)).orElseThrow());
    }

    String state(String name) {
        return operation(name).state();
    }

    @Override
    public World world() {
        return world.world();
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        commits.add(() -> outcome.complete(commit(proposal)));
        return outcome;
    }

    private Outcome commit(Proposal proposal) {
        if (refusals > 0) {
            refusals--;
            return new Outcome.Refused(Outcome.Reason.OVERLOADED, "meant to fail");
        }
        for (Proposal.Expectation each : proposal.expectations()) {
            long found =
                    world().get(each.key()).map(object -> object.revision()).orElse(0L);
            if (found != each.revision()) {
                return new Outcome.Conflict(each.key(), each.revision(), found);
            }
        }
        assertThat(proposal.actor()).isEqualTo("node/" + NODE);
        assertThat(proposal.writes()).hasSize(1);
        Event event = WorldFixture.event(world(), proposal);
        reported.add(proposal.type() + " " + proposal.writes().get(0).key().name());
        Proposal.Put put = (Proposal.Put) proposal.writes().get(0);
        world.put(new String(put.draft().at(event.revision()).json(), StandardCharsets.UTF_8));
        return new Outcome.Committed(event);
    }

    private final class FixtureClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return world.now();
        }
    }

    static String operation(String name, String volume, String provisioner, String fields) {
        return """
            ---
            {apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: %s, annotations: {theirs: kept}},
             spec: {operation: Provision, node: n1, provisioner: %s, persistentVolume: %s, persistentVolumeUID: u-%s,
                    path: %s, capacity: 1Gi, later: kept, %s}}
            """.formatted(name, provisioner, volume, volume, volume, fields);
    }

    static String provision(String name) {
        return operation(name, "pv-" + name, "mooring.dev/hostpath", "");
    }

    static String onServer(String name, String server) {
        return operation(name, "pv-" + name, "mooring.dev/nfs", "parameters: {server: " + server + "}");
    }
}
