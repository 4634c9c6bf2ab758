package dev.mooring.node.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.OneController;
import dev.mooring.control.Worlds;
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
 * A node's operator and executor without threads: each task of a thread, each commit and each timer happens when the test lets it, and
 * the process can be killed in between. Only the World survives that, and what workers have done.
 */
final class WorkBench implements WorldPort {
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
    private OneController world;
    private WorkExecutor executor;

    WorkBench(String yaml) {
        begin(Worlds.of(yaml));
    }

    private void begin(World start) {
        timers = new TestScheduler();
        threads.clear();
        commits.clear();
        WorkParts parts = new WorkParts(this, new BenchClock(), timers, threads::add);
        executor = new WorkExecutor(NODE, new VolumeWorkers(List.of(local, nfs))::perform, LIMITS, parts);
        beginOperator(start);
    }

    private void beginOperator(World start) {
        world = new OneController(new VolumeOperator(NODE, executor), start);
        world.pass(passed);
    }

    /** Kills the process: all but the World and the disks is gone. */
    void crash() {
        begin(world.world());
    }

    /** Kills the verticle that looks for work; what does the work goes on. */
    void crashOperator() {
        beginOperator(world.world());
    }

    WorkExecutor executor() {
        return executor;
    }

    OneController controller() {
        return world;
    }

    /** Lets one thing happen, whatever is next; whether there was anything. */
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

    /** Lets everything happen that needs no time. */
    WorkBench settle() {
        for (int i = 0; step(); i++) {
            assertThat(i).as("steps").isLessThan(1000);
        }
        world.settle();
        return this;
    }

    WorkBench pass(Duration time) {
        passed = passed.plus(time);
        world.pass(time);
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        return settle();
    }

    /** Lets time pass for timers alone, as it does while a worker works. */
    void passWhileWorking(Duration time) {
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A change by somebody else. */
    void change(String name, Consumer<ObjectNode> change) {
        ObjectNode object = tree(name);
        change.accept(object);
        world.put(object.toString());
    }

    ObjectNode tree(String name) {
        return Worlds.tree(world.world(), "volumeoperations.mooring.dev/" + name);
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
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        commits.add(() -> answer.complete(commit(proposal)));
        return answer;
    }

    private Outcome commit(Proposal proposal) {
        if (refusals > 0) {
            refusals--;
            return new Outcome.Refused(Outcome.Reason.OVERLOADED, "meant to happen");
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
        Event event = Worlds.event(world(), proposal);
        reported.add(proposal.type() + " " + proposal.writes().get(0).key().name());
        Proposal.Put put = (Proposal.Put) proposal.writes().get(0);
        world.put(new String(put.draft().at(event.revision()).json(), StandardCharsets.UTF_8));
        return new Outcome.Committed(event);
    }

    private final class BenchClock extends Clock {
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

    static String operation(String name, String volume, String provisioner, String more) {
        return """
            ---
            {apiVersion: mooring.dev/v1, kind: VolumeOperation, metadata: {name: %s, annotations: {theirs: kept}},
             spec: {operation: Provision, node: n1, provisioner: %s, persistentVolume: %s, persistentVolumeUID: u-%s,
                    path: %s, capacity: 1Gi, later: kept, %s}}
            """.formatted(name, provisioner, volume, volume, volume, more);
    }

    static String provision(String name) {
        return operation(name, "pv-" + name, "mooring.dev/hostpath", "");
    }

    static String onServer(String name, String server) {
        return operation(name, "pv-" + name, "mooring.dev/nfs", "parameters: {server: " + server + "}");
    }
}
