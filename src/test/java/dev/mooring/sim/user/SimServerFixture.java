package dev.mooring.sim.user;

import dev.mooring.api.http.SimAccess;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.BootstrapObjects;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.IdGenerator;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.api.types.Schemas;
import dev.mooring.log.Retention;
import dev.mooring.sim.DeterministicScheduler;
import dev.mooring.sim.SimApi;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.StateStore;
import dev.mooring.world.World;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;

/** A server with only a log and the API's logic, which can be killed and restarted. */
final class SimServerFixture implements DeterministicScheduler.SimTaskSource {
    private static final Schemas SCHEMAS = Schemas.ofThisProgram();
    private static final long SEGMENT_BYTES = 30_000;

    private final DeterministicScheduler scheduler;
    private final Random random;
    private SimulatedDisk disk = new SimulatedDisk();
    private int starts;
    private SimApi api;

    SimServerFixture(DeterministicScheduler scheduler, long seed) {
        this.scheduler = scheduler;
        this.random = new Random(seed);
        scheduler.add(this);
        start();
        Catalog catalog = api.catalog();
        new BootstrapObjects(catalog, scheduler.clock(), new SeededIds(random))
                .proposal(world(), "n1")
                .ifPresent(api.stateStore().ledger()::propose);
        run();
    }

    private record SeededIds(Random random) implements IdGenerator {
        @Override
        public String uid() {
            return new UUID(random.nextLong(), random.nextLong()).toString();
        }

        @Override
        public String nameSuffix() {
            return Integer.toString(10_000 + random.nextInt(10_000));
        }
    }

    private void start() {
        SimTaskGroup taskGroup = new SimTaskGroup(scheduler, "server" + ++starts);
        try {
            StateStore.Options options = new StateStore.Options(
                    Path.of("/data/log"), SEGMENT_BYTES, new Ledger.Limits(1000, 8, 1 << 16), 32, 1 << 20);
            StateStore stateStore = StateStore.open(
                    disk, options, scheduler.clock(), new CompositeMeterRegistry(), taskGroup.executor("dispatcher"));
            LeaseCache heartbeats = new LeaseCache(stateStore.ledger()::world, scheduler.clock());
            ResourceWriter writer = new ResourceWriter(
                    stateStore.ledger(), scheduler.clock(), new SeededIds(random), heartbeats, PodPolicy.DENY_ALL);
            Catalog catalog = new KindTable(SCHEMAS, scheduler.clock()).catalog();
            SimAccess access = new SimAccess(stateStore, scheduler.clock());
            api = new SimApi(taskGroup, stateStore, writer, access, heartbeats, catalog, taskGroup.executor("api"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the server and starts another one with the same data. */
    void restart() {
        api.taskGroup().kill();
        disk = disk.killedProcess();
        start();
    }

    /** Kills the server and starts another one with an earlier state of the disk. */
    void restart(SimulatedDisk earlier) {
        api.taskGroup().kill();
        disk = earlier;
        start();
    }

    SimulatedDisk copyOfDisk() {
        return disk.killedProcess();
    }

    Optional<SimApi> api() {
        return Optional.of(api);
    }

    World world() {
        return api.stateStore().ledger().world();
    }

    /** Removes as much history as possible. */
    void forgetHistory() {
        try {
            new Snapshotter(
                            api.stateStore().log(),
                            api.stateStore().ledger(),
                            api.stateStore().hub(),
                            new Snapshotter.Policy(
                                    1, Duration.ofHours(1), new Retention(Optional.empty(), OptionalLong.of(1))),
                            api.taskGroup().scheduler("snapshots"),
                            new CompositeMeterRegistry())
                    .write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isReady() {
        return api.stateStore().ledger().pending() > 0;
    }

    @Override
    public void run() {
        try {
            api.stateStore().ledger().run(() -> {}, () -> true);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
