package dev.mooring.sim.node;

import dev.mooring.control.Controller;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.StoredJson;
import dev.mooring.host.MountTable;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.node.WorldPort;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.PodNetworking;
import dev.mooring.node.monitor.MountHealthController;
import dev.mooring.node.monitor.MountProber;
import dev.mooring.node.monitor.RemoteServerMonitor;
import dev.mooring.node.pods.ContainerCache;
import dev.mooring.node.pods.PodRuntime;
import dev.mooring.node.pods.RuntimeWatcher;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.node.status.NodeReporterVerticle;
import dev.mooring.node.status.RuntimeStatusHolder;
import dev.mooring.node.status.SimulatedNodeReporter;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.NodeWarnings;
import dev.mooring.node.volumemanager.OperationExecutor;
import dev.mooring.node.volumemanager.OperationObserver;
import dev.mooring.node.volumemanager.OrphanScanner;
import dev.mooring.node.volumemanager.PodDirectoryController;
import dev.mooring.node.volumemanager.Populator;
import dev.mooring.node.volumemanager.PreUnmountHook;
import dev.mooring.node.volumemanager.Reconciler;
import dev.mooring.node.volumemanager.StartupRecovery;
import dev.mooring.node.volumemanager.StartupRecoveryAccess;
import dev.mooring.node.volumemanager.VolumeOperationController;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.node.volumemanager.WorkExecutor;
import dev.mooring.node.volumemanager.WorkLimits;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.sim.SimVerticles;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.nfs.SimNfsPermits;
import dev.mooring.world.Ledger;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The real node code in one process, wired to a simulated machine like {@code server.NodeAgent}. Ends with its task
 * group.
 */
public final class SimNode {
    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final int FIRST_START_ROUNDS = 200;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);

    private final SimMachine machine;
    private final SimNodeContext context;
    private final String name;
    private final WorkContext work;
    private final RemoteServers servers;
    private final SimNfsPlugin nfs;
    private final ContainerCache containerCache;
    private final NodeContext node;
    private final OperationExecutor executor;
    private final StartupRecovery startupRecovery;

    /**
     * Dependencies of a node.
     *
     * @param random for this process only
     */
    public record SimNodeContext(
            SimTaskGroup taskGroup,
            Ledger ledger,
            Clock clock,
            NodeReporterVerticle.LeaseRenewer heartbeat,
            SimVerticles verticles,
            Random random) {}

    /** Starts the node; controllers that depend on startup recovery start after it. */
    public SimNode(SimMachine machine, SimNodeContext context) {
        this.machine = machine;
        this.context = context;
        this.name = machine.name();
        WorldPort world = WorldPort.of(context.ledger());
        SimTaskGroup tasks = context.taskGroup();
        this.work = new WorkContext(world, context.clock(), tasks.scheduler("timers"), tasks.threadPool());
        machine.processStarted(world::world);
        this.servers = new RemoteServers(context.clock(), ServerListener.NO_OP);
        this.nfs = new SimNfsPlugin(machine, servers);
        this.containerCache = PodRuntime.newCache(name, work);
        this.node = new NodeContext(
                name,
                machine.kernel().layout(),
                new VolumePlugins(List.of(
                        nfs,
                        new SimHostPathPlugin(machine),
                        new SimLocalPlugin(machine),
                        new SimBlockPlugin(machine),
                        SimPodVolumePlugin.emptyDir(machine),
                        SimPodVolumePlugin.configMap(machine),
                        SimPodVolumePlugin.secret(machine))),
                containerCache,
                PreUnmountHook.NONE);
        this.executor = new OperationExecutor(node, OperationObserver.NONE, new WorkLimits(8, 4, DEADLINE), work);
        OrphanScanner orphans = new OrphanScanner(
                name, List.of(Path.of("/srv/mooring")), world, new NodeWarnings(name, world, context.clock()));
        this.startupRecovery = new StartupRecovery(
                node, () -> machine::inspect, new BlockingWorldPort(world), context.clock(), orphans::report);
        startWhenIdentified(FIRST_START_ROUNDS);
    }

    /** Starts once the instance is known: containers carry its id, which a new server first has to create. */
    private void startWhenIdentified(int rounds) {
        if (rounds == 0 || !instance().startsWith(".")) {
            start();
        } else {
            context.taskGroup()
                    .after(
                            Duration.ofMillis(5),
                            context.taskGroup().executor("node"),
                            () -> startWhenIdentified(rounds - 1));
        }
    }

    private void start() {
        WorkExecutor worker = new WorkExecutor(
                name,
                new SimWorker(machine),
                new WorkLimits(WorkLimits.DEFAULT.local(), WorkLimits.DEFAULT.perServer(), DEADLINE),
                work);
        run("volume-operator", () -> new VolumeOperationController(name), worker);
        run("populator", () -> new Populator(name, node.plugins(), containerCache));
        run("volumes-in-use", () -> new VolumesInUse(name));
        watchHealth();
        RuntimeStatusHolder runtimeStatus = new RuntimeStatusHolder(new RuntimeStatusHolder.RuntimeStatus.Unknown());
        new SimulatedNodeReporter(
                        new NodeReporter(name, "v1.0.0-sim", this::uid, runtimeStatus::status),
                        machine::facts,
                        context.heartbeat(),
                        work.world(),
                        work.clock(),
                        runtimeStatus,
                        context.taskGroup())
                .start();
        PodRuntime pods = pods(runtimeStatus);
        context.taskGroup().threadPool().execute(() -> completeRecovery(pods));
    }

    private void run(String part, Supplier<? extends Controller> controllers) {
        run(part, controllers, EffectExecutor.NONE);
    }

    private void run(String part, Supplier<? extends Controller> controllers, EffectExecutor effects) {
        context.verticles().run(name + '/' + part, controllers, effects);
    }

    private String uid() {
        return new UUID(context.random().nextLong(), context.random().nextLong()).toString();
    }

    private void watchHealth() {
        MountProber prober = new MountProber(
                name,
                nfs.name(),
                servers,
                new MountProber.MountInspector() {
                    @Override
                    public MountHealth probe(Path target) throws InterruptedException {
                        return nfs.probe(target.toString());
                    }

                    @Override
                    public MountTable table() {
                        return machine.kernel().table();
                    }
                },
                containerCache,
                work);
        RemoteServerMonitor watch = new RemoteServerMonitor(
                name,
                nfs.name(),
                servers,
                volume -> {
                    String server = volume.source().path("nfs").path("server").asText("");
                    SimNfsPermits.retryServer(servers, server, () -> {
                        nfs.requireServer(server, FailureState.CLEAN);
                        return server;
                    });
                },
                prober,
                work);
        servers.addListener(watch);
        run("volume-health", () -> new MountHealthController(name), prober);
    }

    private PodRuntime pods(RuntimeStatusHolder runtimeStatus) {
        ContainerSpecs specs = new ContainerSpecs(new ContainerSpecs.ContainerSpecContext(
                machine.kernel().layout(),
                new SimMounter(machine),
                new NoOpSystemCalls(),
                null,
                key -> work.world().world().get(key).map(StoredObject::toTree),
                () -> new Dns(List.of(), List.of(), List.of()),
                PodNetworking.NONE,
                () -> false,
                () -> true,
                OptionalLong.empty()));
        return new PodRuntime(
                new PodRuntime.Dependencies(
                        name,
                        instance(),
                        machine.engine(),
                        containerCache,
                        specs,
                        new Random(context.random().nextLong())),
                machine.engine()::pauseImage,
                work,
                state -> onEngineState(runtimeStatus, state));
    }

    private String instance() {
        return work.world()
                        .world()
                        .get(ObjectKey.clusterWide("namespaces", "kube-system"))
                        .map(StoredJson::uid)
                        .orElse("")
                + '.'
                + name;
    }

    private static void onEngineState(RuntimeStatusHolder runtimeStatus, RuntimeWatcher.State state) {
        if (state instanceof RuntimeWatcher.State.Present present) {
            runtimeStatus.status(
                    new RuntimeStatusHolder.RuntimeStatus.Present(present.info().runtimeVersion()));
        } else if (state instanceof RuntimeWatcher.State.Absent absent) {
            runtimeStatus.status(new RuntimeStatusHolder.RuntimeStatus.Absent(absent.reason()));
        }
    }

    private void completeRecovery(PodRuntime pods) {
        try {
            StartupRecoveryAccess.recover(startupRecovery);
        } catch (VolumeException e) {
            machine.storage().coverage().hit("recovery fails", e.reason());
            context.taskGroup()
                    .after(
                            RETRY_DELAY,
                            context.taskGroup().executor("recovery"),
                            () -> context.taskGroup().threadPool().execute(() -> completeRecovery(pods)));
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        run("reconciler", () -> new Reconciler(node), executor);
        run(
                "pod-directories",
                () -> new PodDirectoryController(name, containerCache),
                new SimCleaner(machine, work.world()::world, containerCache, work.threads()));
        run("pods", pods::newController, pods.effects());
        pods.start();
    }

    /** Returns the number of volume operations in progress. */
    public int operationsInFlight() {
        return executor.pendingOperations();
    }
}
