package dev.mooring.sim;

import dev.mooring.api.catalog.KindTable;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.FirstStart;
import dev.mooring.api.resource.Heartbeats;
import dev.mooring.api.resource.Writer;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlParts;
import dev.mooring.control.Controller;
import dev.mooring.control.SimLoop;
import dev.mooring.control.attach.AttachDetach;
import dev.mooring.control.bind.Binder;
import dev.mooring.control.collect.GarbageCollector;
import dev.mooring.control.ephemeral.EphemeralClaims;
import dev.mooring.control.expand.Expander;
import dev.mooring.control.expire.Expiry;
import dev.mooring.control.lifecycle.NodeLifecycle;
import dev.mooring.control.lifecycle.StrandedPods;
import dev.mooring.control.namespace.NamespaceCleaner;
import dev.mooring.control.protect.ClaimProtection;
import dev.mooring.control.protect.VolumeProtection;
import dev.mooring.control.provision.ProvisionController;
import dev.mooring.control.reclaim.Reclaimer;
import dev.mooring.control.schedule.Scheduler;
import dev.mooring.log.Retention;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.Spine;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.reactivex.rxjava3.disposables.Disposable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Supplier;

/** One incarnation of the server, from opening the log to its death, put together as {@code cli.Server} does it. */
final class SimProcess implements Verticles, Schedule.Source {
    /** Where the log is on the simulated disk. */
    static final Path LOG = Path.of("/data/log");

    /** Small, so that a short life sees many of them. */
    private static final long SEGMENT_BYTES = 48 * 1024;

    private static final int RECENT_EVENTS = 48;
    private static final int RECENT_BYTES = 1 << 20;
    private static final Ledger.Limits LIMITS = new Ledger.Limits(2000, 8, 64 * 1024);
    private static final Duration RESTART_DELAY = Duration.ofMillis(100);

    private final Living life;
    private final Random random;
    private final Spine spine;
    private final SimApi api;
    private final ControlParts parts;
    private final Map<String, Verticle> verticles = new LinkedHashMap<>();
    private boolean crashed;
    private boolean ledgerDied;

    /** What is supervised. */
    private final class Verticle {
        private final String name;
        private final Supplier<? extends Controller> controllers;
        private SimLoop loop;
        private int deaths;

        Verticle(String name, Supplier<? extends Controller> controllers) {
            this.name = name;
            this.controllers = controllers;
        }

        void start() {
            Strand strand = life.strand(name);
            loop = new SimLoop(controllers, parts, life, strand, cause -> kill());
            loop.start(() -> {});
        }

        void kill() {
            loop.close();
            deaths++;
            Strand supervisor = life.strand("supervisor");
            life.after(RESTART_DELAY.multipliedBy(Math.min(deaths, 50)), supervisor, this::start);
        }
    }

    /**
     * What a process is started with.
     *
     * @param first the node that is made with an empty log
     * @param kinds made once, since that takes long
     */
    record Given(SimulatedDisk disk, Random random, KindTable kinds, String first, Optional<Long> keepBytes) {}

    /** @throws IOException if the log cannot be opened */
    SimProcess(Schedule schedule, int incarnation, Given given) throws IOException {
        this.life = new Living(schedule, "p" + incarnation);
        this.random = given.random();
        CompositeMeterRegistry meters = new CompositeMeterRegistry();
        Spine.Options options = new Spine.Options(LOG, SEGMENT_BYTES, LIMITS, RECENT_EVENTS, RECENT_BYTES);
        this.spine = Spine.open(given.disk(), options, schedule.clock(), meters, life.strand("dispatcher"));
        Heartbeats heartbeats = new Heartbeats(spine.ledger()::world, schedule.clock());
        SimIds ids = new SimIds(new Random(random.nextLong()));
        Writer writer = new Writer(spine.ledger(), schedule.clock(), ids, heartbeats, PodPolicy.CLOSED);
        this.api = new SimApi(life, spine, writer, heartbeats, given.kinds().catalog(), life.strand("api"));
        this.parts = new ControlParts(
                spine.ledger(), spine.hub(), life.scheduler("reading"), schedule.clock(), meters, Backoff.DEFAULT);
        schedule.add(this);
        schedule.whenCrashed(() -> crashed = true);
        new FirstStart(api.catalog(), schedule.clock(), ids)
                .proposal(spine.ledger().world(), given.first())
                .ifPresent(spine.ledger()::propose);
        startSnapshots(meters, given.keepBytes());
        startControllers();
    }

    private void startSnapshots(CompositeMeterRegistry meters, Optional<Long> keepBytes) throws IOException {
        Retention retention =
                new Retention(Optional.empty(), keepBytes.map(OptionalLong::of).orElse(OptionalLong.empty()));
        Snapshotter snapshotter = new Snapshotter(
                spine.log(),
                spine.ledger(),
                spine.hub(),
                new Snapshotter.Policy(SEGMENT_BYTES, Duration.ofMinutes(10), retention),
                life.scheduler("snapshots"),
                meters);
        Disposable unused = snapshotter.start(cause -> {});
    }

    private void startControllers() {
        run("namespaces", NamespaceCleaner::new);
        run("garbage-collector", GarbageCollector::new);
        run("expiry", () -> new Expiry(Duration.ofHours(1)));
        run("binder", Binder::new);
        run("ephemeral-claims", EphemeralClaims::new);
        run("provisioner", ProvisionController::new);
        run("claim-protection", ClaimProtection::new);
        run("volume-protection", VolumeProtection::new);
        run("reclaimer", Reclaimer::new);
        run("expander", Expander::new);
        run("attach-detach", AttachDetach::new);
        run("scheduler", Scheduler::new);
        run("stranded-pods", StrandedPods::new);
        run(
                "node-lifecycle",
                () -> new NodeLifecycle(
                        node -> api.heartbeats().last(NodeReporter.leaseOf(node)),
                        NodeLifecycle.DEFAULT_GRACE,
                        life.schedule().clock().instant()));
    }

    Living life() {
        return life;
    }

    SimApi api() {
        return api;
    }

    Spine spine() {
        return spine;
    }

    /** Chance for what belongs to this incarnation. */
    Random random() {
        return random;
    }

    @Override
    public void run(String name, Supplier<? extends Controller> controllers) {
        Verticle verticle = new Verticle(name, controllers);
        verticles.put(name, verticle);
        verticle.start();
    }

    List<String> verticles() {
        return new ArrayList<>(verticles.keySet());
    }

    /** Kills one; the supervisor brings another up after a while. */
    void killVerticle(String name) {
        verticles.get(name).kill();
    }

    /** The ledger has something to do. */
    @Override
    public boolean isReady() {
        return life.isAlive()
                && !crashed
                && (ledgerDied || spine.ledger().pending() > 0)
                && spine.ledger().readOnly().isEmpty();
    }

    /** The ledger's thread takes what waits. */
    @Override
    public void run() {
        ledgerDied = false;
        try {
            spine.ledger().run(() -> {}, () -> true);
        } catch (SimCrash e) {
            crashed = true;
        } catch (IOException | InterruptedException e) {
            // The log has failed, and the ledger knows; or its thread was killed, and the next one finds out how far it
            // got.
            ledgerDied = true;
            Thread.interrupted();
        }
    }

    /** Whether something crashed it from within. */
    boolean hasCrashed() {
        return crashed;
    }

    /** Ends it where it is. */
    void kill() {
        life.schedule().remove(this);
        life.kill();
    }
}
