package dev.mooring.sim;

import dev.mooring.api.http.SimAccess;
import dev.mooring.api.policy.PodPolicy;
import dev.mooring.api.resource.BootstrapObjects;
import dev.mooring.api.resource.ControllerPodAdmission;
import dev.mooring.api.resource.KindTable;
import dev.mooring.api.resource.LeaseCache;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlContext;
import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.ScheduledControllerLoop;
import dev.mooring.control.attach.AttachDetachController;
import dev.mooring.control.lifecycle.ExpiryController;
import dev.mooring.control.lifecycle.GarbageCollector;
import dev.mooring.control.lifecycle.NamespaceController;
import dev.mooring.control.lifecycle.NodeLifecycleController;
import dev.mooring.control.lifecycle.PodGarbageCollector;
import dev.mooring.control.persistentvolume.EphemeralVolumeController;
import dev.mooring.control.persistentvolume.ExpandController;
import dev.mooring.control.persistentvolume.PersistentVolumeController;
import dev.mooring.control.persistentvolume.ProvisionController;
import dev.mooring.control.persistentvolume.ReclaimController;
import dev.mooring.control.protection.ClaimProtectionController;
import dev.mooring.control.protection.VolumeProtectionController;
import dev.mooring.control.schedule.PodScheduler;
import dev.mooring.control.workloads.ReplicaSetController;
import dev.mooring.log.Retention;
import dev.mooring.model.view.NfsSource;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.testing.SimulatedDisk;
import dev.mooring.world.Ledger;
import dev.mooring.world.Snapshotter;
import dev.mooring.world.StateStore;
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

/** One server process, from opening the log until it is killed; assembled like {@code server.Server}. */
final class SimProcess implements SimVerticles, DeterministicScheduler.SimTaskSource {
    /** Directory of the log on the simulated disk. */
    static final Path LOG = Path.of("/data/log");

    /** Small, so that a short run has many segments. */
    private static final long SEGMENT_BYTES = 48 * 1024;

    private static final int RECENT_EVENTS = 48;
    private static final int RECENT_BYTES = 1 << 20;
    private static final Ledger.Limits LIMITS = new Ledger.Limits(2000, 8, 64 * 1024);
    private static final Duration RESTART_DELAY = Duration.ofMillis(100);

    private final SimTaskGroup taskGroup;
    private final Random random;
    private final StateStore stateStore;
    private final SimApi api;
    private final ControlContext controlContext;
    private final Map<String, Verticle> verticles = new LinkedHashMap<>();
    private boolean crashed;
    private boolean ledgerDied;

    /** A supervised controller loop. */
    private final class Verticle {
        private final String name;
        private final Supplier<? extends Controller> controllers;
        private final EffectExecutor effects;
        private ScheduledControllerLoop loop;
        private int deaths;

        Verticle(String name, Supplier<? extends Controller> controllers, EffectExecutor effects) {
            this.name = name;
            this.controllers = controllers;
            this.effects = effects;
        }

        void start() {
            loop = new ScheduledControllerLoop(
                    controllers, effects, controlContext, taskGroup.scheduler(name), cause -> kill());
            loop.start(() -> {});
        }

        void kill() {
            loop.close();
            deaths++;
            SimSerialExecutor supervisor = taskGroup.executor("supervisor");
            taskGroup.after(RESTART_DELAY.multipliedBy(Math.min(deaths, 50)), supervisor, this::start);
        }
    }

    /**
     * Dependencies of a process.
     *
     * @param firstNode name of the node created with an empty log
     * @param kinds shared between processes, because creating it is slow
     * @param keepBytes retained size of the log; empty for all
     */
    record SimProcessContext(
            SimulatedDisk disk, Random random, KindTable kinds, String firstNode, Optional<Long> keepBytes) {}

    /** @throws IOException if the log cannot be opened */
    SimProcess(DeterministicScheduler schedule, int incarnation, SimProcessContext given) throws IOException {
        this.taskGroup = new SimTaskGroup(schedule, "p" + incarnation);
        this.random = given.random();
        CompositeMeterRegistry meters = new CompositeMeterRegistry();
        StateStore.Options options = new StateStore.Options(LOG, SEGMENT_BYTES, LIMITS, RECENT_EVENTS, RECENT_BYTES);
        this.stateStore =
                StateStore.open(given.disk(), options, schedule.clock(), meters, taskGroup.executor("dispatcher"));
        LeaseCache heartbeats = new LeaseCache(stateStore.ledger()::world, schedule.clock());
        SimIds ids = new SimIds(new Random(random.nextLong()));
        ResourceWriter writer =
                new ResourceWriter(stateStore.ledger(), schedule.clock(), ids, heartbeats, PodPolicy.DENY_ALL);
        this.api = new SimApi(
                taskGroup,
                stateStore,
                writer,
                new SimAccess(stateStore, schedule.clock()),
                heartbeats,
                given.kinds().catalog(),
                taskGroup.executor("api"));
        this.controlContext = new ControlContext(
                stateStore.ledger(),
                stateStore.hub(),
                taskGroup.scheduler("reading"),
                schedule.clock(),
                meters,
                Backoff.DEFAULT);
        schedule.add(this);
        schedule.onCrash(() -> crashed = true);
        new BootstrapObjects(api.catalog(), schedule.clock(), ids)
                .proposal(stateStore.ledger().world(), given.firstNode())
                .ifPresent(stateStore.ledger()::propose);
        startSnapshots(meters, given.keepBytes());
        startControllers();
    }

    private void startSnapshots(CompositeMeterRegistry meters, Optional<Long> keepBytes) throws IOException {
        Retention retention =
                new Retention(Optional.empty(), keepBytes.map(OptionalLong::of).orElse(OptionalLong.empty()));
        Snapshotter snapshotter = new Snapshotter(
                stateStore.log(),
                stateStore.ledger(),
                stateStore.hub(),
                new Snapshotter.Policy(SEGMENT_BYTES, Duration.ofMinutes(10), retention),
                taskGroup.scheduler("snapshots"),
                meters);
        Disposable unused = snapshotter.start(cause -> {});
    }

    private void startControllers() {
        run("namespaces", NamespaceController::new);
        run("garbage-collector", GarbageCollector::new);
        run("expiry", () -> new ExpiryController(Duration.ofHours(1)));
        run("binder", PersistentVolumeController::new);
        run("ephemeral-claims", EphemeralVolumeController::new);
        run(
                "provisioner",
                () -> new ProvisionController(
                        Map.of(NfsSource.PROVISIONER, Map.of("server", "nas", "share", "/export"))));
        run("claim-protection", ClaimProtectionController::new);
        run("volume-protection", VolumeProtectionController::new);
        run("reclaimer", ReclaimController::new);
        run("expander", ExpandController::new);
        run("attach-detach", AttachDetachController::new);
        ControllerPodAdmission pods = new ControllerPodAdmission(api.catalog(), PodPolicy.DENY_ALL);
        run("replicasets", () -> new ReplicaSetController(pods::admit));
        run("scheduler", PodScheduler::new);
        run("pod-garbage-collector", PodGarbageCollector::new);
        run(
                "node-lifecycle",
                () -> new NodeLifecycleController(
                        node -> api.heartbeats().lastRenewal(NodeReporter.leaseOf(node)),
                        NodeLifecycleController.DEFAULT_GRACE,
                        taskGroup.schedule().clock().instant()));
    }

    SimTaskGroup taskGroup() {
        return taskGroup;
    }

    SimApi api() {
        return api;
    }

    StateStore stateStore() {
        return stateStore;
    }

    /** Random numbers for this process. */
    Random random() {
        return random;
    }

    @Override
    public void run(String name, Supplier<? extends Controller> controllers, EffectExecutor effects) {
        Verticle verticle = new Verticle(name, controllers, effects);
        verticles.put(name, verticle);
        verticle.start();
    }

    List<String> verticles() {
        return new ArrayList<>(verticles.keySet());
    }

    /** Kills a verticle; the supervisor restarts it later. */
    void killVerticle(String name) {
        verticles.get(name).kill();
    }

    /** Returns whether the ledger has pending proposals. */
    @Override
    public boolean isReady() {
        return taskGroup.isAlive()
                && !crashed
                && (ledgerDied || stateStore.ledger().pending() > 0)
                && stateStore.ledger().readOnly().isEmpty();
    }

    /** Runs the ledger's thread until no proposal is pending. */
    @Override
    public void run() {
        ledgerDied = false;
        try {
            stateStore.ledger().run(() -> {}, () -> true);
        } catch (SimCrash e) {
            crashed = true;
        } catch (IOException | InterruptedException e) {
            // Either the log failed, which the ledger knows, or its thread was killed; then the next one resolves the
            // interrupted batch.
            ledgerDied = true;
            Thread.interrupted();
        }
    }

    /** Returns whether a fault crashed the process from within. */
    boolean hasCrashed() {
        return crashed;
    }

    /** Kills the process immediately. */
    void kill() {
        taskGroup.schedule().remove(this);
        taskGroup.kill();
    }
}
