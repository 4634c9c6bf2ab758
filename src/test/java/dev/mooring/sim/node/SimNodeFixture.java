package dev.mooring.sim.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlContext;
import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.ScheduledControllerLoop;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.attach.AttachDetachController;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.sim.SimVerticles;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Proposal;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A log, a ledger and nodes on simulated machines, without other controllers. */
final class SimNodeFixture implements SimVerticles, DeterministicScheduler.SimTaskSource {
    private static final Ledger.Limits LIMITS = new Ledger.Limits(1000, 8, 1 << 16);

    final DeterministicScheduler scheduler;
    final InvariantViolations violations = new InvariantViolations();
    final Coverage coverage = new Coverage();
    final SimStorage storage;
    final List<SimMachine> machines = new ArrayList<>();
    final List<SimNode> nodes = new ArrayList<>();
    private final Random seeds;
    private SimulatedDisk disk = new SimulatedDisk();
    private SimTaskGroup process;
    private StateStore stateStore;
    private ControlContext controlContext;

    SimNodeFixture(long seed, int count) {
        this.scheduler = new DeterministicScheduler(seed);
        this.seeds = new Random(seed + 77);
        this.storage = new SimStorage(scheduler, violations, coverage);
        for (int i = 1; i <= count; i++) {
            machines.add(new SimMachine("n" + i, storage, new Random(seeds.nextLong())));
        }
        start();
        put("{kind: Namespace, metadata: {name: ns}}");
        put("{kind: Namespace, metadata: {name: kube-system}}");
        crash();
    }

    private void start() {
        process = new SimTaskGroup(scheduler, "p");
        CompositeMeterRegistry meters = new CompositeMeterRegistry();
        try {
            stateStore = StateStore.open(
                    disk,
                    new StateStore.Options(Path.of("/data/log"), 1 << 20, LIMITS, 100, 1 << 20),
                    scheduler.clock(),
                    meters,
                    process.executor("dispatcher"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        controlContext = new ControlContext(
                stateStore.ledger(),
                stateStore.hub(),
                process.scheduler("reading"),
                scheduler.clock(),
                meters,
                Backoff.DEFAULT);
        scheduler.add(this);
        run("attach-detach", AttachDetachController::new);
        nodes.clear();
        for (SimMachine each : machines) {
            nodes.add(new SimNode(
                    each,
                    new SimNode.SimNodeContext(
                            process,
                            stateStore.ledger(),
                            scheduler.clock(),
                            (node, now) -> {},
                            this,
                            new Random(seeds.nextLong()))));
        }
    }

    /** Kills the process and starts another. */
    void crash() {
        kill();
        start();
    }

    /** Kills the process and reboots the machines. */
    void reboot() {
        kill();
        machines.forEach(SimMachine::reboot);
        start();
    }

    void kill() {
        scheduler.remove(this);
        process.kill();
        disk = disk.killedProcess();
    }

    @Override
    public void run(String name, Supplier<? extends Controller> controllers, EffectExecutor effects) {
        new ScheduledControllerLoop(
                        controllers,
                        effects,
                        controlContext,
                        process.scheduler(name),
                        cause -> violations.report("died", name + ": " + cause))
                .start(() -> {});
    }

    @Override
    public boolean isReady() {
        return process.isAlive() && stateStore.ledger().pending() > 0;
    }

    @Override
    public void run() {
        try {
            stateStore.ledger().run(() -> {}, () -> true);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    SimMachine machine() {
        return machines.get(0);
    }

    World world() {
        return stateStore.ledger().world();
    }

    /** Creates or replaces objects. */
    void put(String yaml) {
        for (ObjectNode each : WorldFixture.objects(yaml)) {
            put(each);
        }
    }

    private void put(ObjectNode object) {
        stateStore
                .ledger()
                .propose(Proposal.by("tester", "Put")
                        .put(WorldFixture.draft(object))
                        .build());
        await(() -> stateStore.ledger().pending() == 0, Duration.ofSeconds(10), "the ledger is idle");
    }

    Optional<Pod> pod(String name) {
        return world().get(Pod.key("ns", name)).map(Pod::of);
    }

    /** Deletes a Pod with a grace period. */
    void deletePod(String name) {
        pod(name).filter(each -> !each.isBeingDeleted()).ifPresent(pod -> {
            ObjectNode object = pod.copy();
            object.withObject("/metadata")
                    .put(
                            "deletionTimestamp",
                            scheduler.clock().instant().plusSeconds(30).toString())
                    .put("deletionGracePeriodSeconds", 30);
            put(object);
        });
    }

    void remove(String key) {
        world().get(ObjectKey.parse(key)).ifPresent(each -> {
            stateStore
                    .ledger()
                    .propose(Proposal.by("tester", "Removed").remove(each).build());
            await(() -> stateStore.ledger().pending() == 0, Duration.ofSeconds(10), "the ledger is idle");
        });
    }

    boolean isRunning(String name) {
        return pod(name).filter(each -> each.phase().equals("Running")).isPresent();
    }

    void await(BooleanSupplier reached, Duration atMost, String description) {
        boolean isReached = scheduler.runUntil(reached, atMost);
        assertThat(violations.all()).isEmpty();
        assertThat(isReached).as(description).isTrue();
    }

    List<String> leftovers() {
        List<String> left = new ArrayList<>();
        machines.forEach(each -> left.addAll(each.leftovers()));
        nodes.forEach(each -> {
            if (each.operationsInFlight() > 0) {
                left.add("operations: " + each.operationsInFlight());
            }
        });
        for (String resource : List.of("pods", "actualvolumes.mooring.dev", "desiredvolumes.mooring.dev")) {
            world().list(Scope.resource(resource))
                    .forEach(each -> left.add(each.key().toString()));
        }
        return left;
    }
}
