package dev.mooring.sim.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlParts;
import dev.mooring.control.Controller;
import dev.mooring.control.SimLoop;
import dev.mooring.control.Worlds;
import dev.mooring.control.attach.AttachDetach;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.view.Pod;
import dev.mooring.sim.Coverage;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Living;
import dev.mooring.sim.Schedule;
import dev.mooring.sim.Strand;
import dev.mooring.sim.Verticles;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Proposal;
import dev.mooring.world.Spine;
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

/** A log, a ledger and nodes on simulated machines, and nothing else: enough to see whether the machines are right. */
final class Stand implements Verticles, Schedule.Source {
    private static final Ledger.Limits LIMITS = new Ledger.Limits(1000, 8, 1 << 16);

    final Schedule schedule;
    final Findings findings = new Findings();
    final Coverage coverage = new Coverage();
    final SimStorage storage;
    final List<SimMachine> machines = new ArrayList<>();
    final List<SimNode> nodes = new ArrayList<>();
    private final Random seeds;
    private SimulatedDisk disk = new SimulatedDisk();
    private Living process;
    private Spine spine;
    private ControlParts parts;

    Stand(long seed, int count) {
        this.schedule = new Schedule(seed);
        this.seeds = new Random(seed + 77);
        this.storage = new SimStorage(schedule, findings, coverage);
        for (int i = 1; i <= count; i++) {
            machines.add(new SimMachine("n" + i, storage, new Random(seeds.nextLong())));
        }
        begin();
        put("{kind: Namespace, metadata: {name: ns}}");
        put("{kind: Namespace, metadata: {name: kube-system}}");
        crash();
    }

    private void begin() {
        process = new Living(schedule, "p");
        CompositeMeterRegistry meters = new CompositeMeterRegistry();
        try {
            spine = Spine.open(
                    disk,
                    new Spine.Options(Path.of("/data/log"), 1 << 20, LIMITS, 100, 1 << 20),
                    schedule.clock(),
                    meters,
                    process.strand("dispatcher"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        parts = new ControlParts(
                spine.ledger(), spine.hub(), process.scheduler("reading"), schedule.clock(), meters, Backoff.DEFAULT);
        schedule.add(this);
        run("attach-detach", AttachDetach::new);
        nodes.clear();
        for (SimMachine each : machines) {
            nodes.add(new SimNode(
                    each,
                    new SimNode.Parts(
                            process,
                            spine.ledger(),
                            schedule.clock(),
                            (node, now) -> {},
                            this,
                            new Random(seeds.nextLong()))));
        }
    }

    /** Kills the process and starts another. */
    void crash() {
        kill();
        begin();
    }

    /** The machines go down with it. */
    void reboot() {
        kill();
        machines.forEach(SimMachine::reboot);
        begin();
    }

    void kill() {
        schedule.remove(this);
        process.kill();
        disk = disk.killedProcess();
    }

    @Override
    public void run(String name, Supplier<? extends Controller> controllers) {
        Strand strand = process.strand(name);
        new SimLoop(controllers, parts, process, strand, cause -> findings.report("died", name + ": " + cause))
                .start(() -> {});
    }

    @Override
    public boolean isReady() {
        return process.isAlive() && spine.ledger().pending() > 0;
    }

    @Override
    public void run() {
        try {
            spine.ledger().run(() -> {}, () -> true);
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    SimMachine machine() {
        return machines.get(0);
    }

    World world() {
        return spine.ledger().world();
    }

    /** Whatever was there. */
    void put(String yaml) {
        for (ObjectNode each : Worlds.objects(yaml)) {
            put(each);
        }
    }

    private void put(ObjectNode object) {
        spine.ledger()
                .propose(Proposal.by("tester", "Put").put(Worlds.draft(object)).build());
        until(() -> spine.ledger().pending() == 0, Duration.ofSeconds(10), "the ledger has taken it");
    }

    Optional<Pod> pod(String name) {
        return world().get(Pod.key("ns", name)).map(Pod::of);
    }

    /** With time to end. */
    void deletePod(String name) {
        pod(name).filter(each -> !each.isBeingDeleted()).ifPresent(pod -> {
            ObjectNode object = pod.copy();
            object.withObject("/metadata")
                    .put(
                            "deletionTimestamp",
                            schedule.clock().instant().plusSeconds(30).toString())
                    .put("deletionGracePeriodSeconds", 30);
            put(object);
        });
    }

    void remove(String key) {
        world().get(ObjectKey.parse(key)).ifPresent(each -> {
            spine.ledger().propose(Proposal.by("tester", "Removed").remove(each).build());
            until(() -> spine.ledger().pending() == 0, Duration.ofSeconds(10), "the ledger has taken it");
        });
    }

    boolean runs(String name) {
        return pod(name).filter(each -> each.phase().equals("Running")).isPresent();
    }

    void until(BooleanSupplier reached, Duration atMost, String what) {
        boolean is = schedule.runUntil(reached, atMost);
        assertThat(findings.all()).isEmpty();
        assertThat(is).as(what).isTrue();
    }

    List<String> leftovers() {
        List<String> left = new ArrayList<>();
        machines.forEach(each -> left.addAll(each.leftovers()));
        nodes.forEach(each -> {
            if (each.underWay() > 0) {
                left.add("operations: " + each.underWay());
            }
        });
        for (String resource : List.of("pods", "actualvolumes.mooring.dev", "desiredvolumes.mooring.dev")) {
            world().list(Scope.resource(resource))
                    .forEach(each -> left.add(each.key().toString()));
        }
        return left;
    }
}
