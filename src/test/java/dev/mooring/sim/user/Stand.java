package dev.mooring.sim.user;

import dev.mooring.api.catalog.Catalog;
import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.FirstStart;
import dev.mooring.api.resource.Heartbeats;
import dev.mooring.api.resource.Ids;
import dev.mooring.api.resource.Writer;
import dev.mooring.api.schema.Schemas;
import dev.mooring.log.Retention;
import dev.mooring.sim.Living;
import dev.mooring.sim.Schedule;
import dev.mooring.sim.SimApi;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.Spine;
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

/** A server with nothing but its log and the API's logic, that can be killed and started again. */
final class Stand implements Schedule.Source {
    private static final Schemas SCHEMAS = Schemas.ofThisProgram();
    private static final long SEGMENT_BYTES = 30_000;

    private final Schedule schedule;
    private final Random random;
    private SimulatedDisk disk = new SimulatedDisk();
    private int starts;
    private SimApi api;

    Stand(Schedule schedule, long seed) {
        this.schedule = schedule;
        this.random = new Random(seed);
        schedule.add(this);
        start();
        Catalog catalog = api.catalog();
        new FirstStart(catalog, schedule.clock(), new SeededIds(random))
                .proposal(world(), "n1")
                .ifPresent(api.spine().ledger()::propose);
        run();
    }

    private record SeededIds(Random random) implements Ids {
        @Override
        public String uid() {
            return new UUID(random.nextLong(), random.nextLong()).toString();
        }

        @Override
        public String nameEnding() {
            return Integer.toString(10_000 + random.nextInt(10_000));
        }
    }

    private void start() {
        Living life = new Living(schedule, "server" + ++starts);
        try {
            Spine.Options options = new Spine.Options(
                    Path.of("/data/log"), SEGMENT_BYTES, new Ledger.Limits(1000, 8, 1 << 16), 32, 1 << 20);
            Spine spine = Spine.open(
                    disk, options, schedule.clock(), new CompositeMeterRegistry(), life.strand("dispatcher"));
            Heartbeats heartbeats = new Heartbeats(spine.ledger()::world, schedule.clock());
            Writer writer =
                    new Writer(spine.ledger(), schedule.clock(), new SeededIds(random), heartbeats, PodPolicy.CLOSED);
            Catalog catalog = new KindTable(SCHEMAS, schedule.clock()).catalog();
            api = new SimApi(life, spine, writer, heartbeats, catalog, life.strand("api"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills the server and starts another on what was written. */
    void restart() {
        api.life().kill();
        disk = disk.killedProcess();
        start();
    }

    /** Kills the server and starts another on a disk of an earlier time. */
    void restart(SimulatedDisk earlier) {
        api.life().kill();
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
        return api.spine().ledger().world();
    }

    /** Cuts off all the history that can be. */
    void forgetHistory() {
        try {
            new Snapshotter(
                            api.spine().log(),
                            api.spine().ledger(),
                            api.spine().hub(),
                            new Snapshotter.Policy(
                                    1, Duration.ofHours(1), new Retention(Optional.empty(), OptionalLong.of(1))),
                            api.life().scheduler("snapshots"),
                            new CompositeMeterRegistry())
                    .write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isReady() {
        return api.spine().ledger().pending() > 0;
    }

    @Override
    public void run() {
        try {
            api.spine().ledger().run(() -> {}, () -> true);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
