package dev.mooring.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.HealthCheck;
import dev.mooring.api.VersionInfo;
import dev.mooring.api.auth.Grant;
import dev.mooring.api.auth.Role;
import dev.mooring.api.auth.ServiceAccountTokens;
import dev.mooring.api.auth.User;
import dev.mooring.api.resource.Catalog;
import dev.mooring.api.resource.ResourceWriter;
import dev.mooring.chaos.Faults;
import dev.mooring.control.ControlContext;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.EffectExecutor;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Quantity;
import dev.mooring.model.ServiceRange;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.node.WorldPort;
import dev.mooring.node.container.VolumeCheck;
import dev.mooring.node.monitor.OperationDurationMetrics;
import dev.mooring.node.monitor.UsageCache;
import dev.mooring.node.monitor.VolumeMetrics;
import dev.mooring.node.network.ServiceNetwork;
import dev.mooring.node.network.ServiceProxyController;
import dev.mooring.node.pods.ContainerCache;
import dev.mooring.node.pods.PodRuntime;
import dev.mooring.node.pods.PodsWithoutRuntime;
import dev.mooring.node.status.LinuxMachine;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.node.status.NodeReporterVerticle;
import dev.mooring.node.status.RuntimeStatusHolder;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.volumemanager.DiscoveredReclaimer;
import dev.mooring.node.volumemanager.DiscoveryDirectory;
import dev.mooring.node.volumemanager.DiscoveryVerticle;
import dev.mooring.node.volumemanager.LocalVolumeDiscovery;
import dev.mooring.node.volumemanager.PodDirectoryController;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.Populator;
import dev.mooring.node.volumemanager.Reconciler;
import dev.mooring.node.volumemanager.VolumeOperationController;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.node.volumemanager.WorkExecutor;
import dev.mooring.node.volumemanager.WorkLimits;
import dev.mooring.runtime.ContainerFacts;
import dev.mooring.server.Settings.ContainerSettings.Runtime;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkResult;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkerSettings;
import dev.mooring.volumedriver.DriverContext;
import dev.mooring.volumedriver.VolumeDriver;
import dev.mooring.volumedriver.VolumeDriverVerticle;
import dev.mooring.volumedriver.WorldWaiter;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The node part of a server: mounts volumes, works on their data, discovers disks and reports node status. One verticle
 * each.
 */
final class NodeAgent implements AutoCloseable {
    private static final Duration RESCAN = Duration.ofMinutes(5);

    private final Supervisor supervisor;
    private final ControlContext controlContext;
    private final Settings settings;
    private final WorldPort world;
    private final ExecutorService threads = WorkContext.newThreads();
    private final WorkExecutor executor;
    private final NodeVolumeManager volumes;
    private final VolumeMonitor monitor;
    private final RuntimeStatusHolder runtimeStatus;
    private final Optional<NodeContainers> containers;
    private final ContainerCache containerCache;
    private VolumeWorkers workers;

    /**
     * Creates the agent.
     *
     * @param usage receives measurements
     * @param random adds jitter to periodic tasks
     * @param faults injected faults, if enabled
     * @param tokens signs tokens for projected volumes
     */
    NodeAgent(
            Supervisor supervisor,
            ControlContext controlContext,
            Settings settings,
            UsageCache usage,
            Random random,
            Optional<Faults> faults,
            ServiceAccountTokens tokens) {
        this.supervisor = supervisor;
        this.controlContext = controlContext;
        this.settings = settings;
        this.world = WorldPort.of(controlContext.ledger());
        WorkLimits usual = WorkLimits.DEFAULT;
        WorkContext work = new WorkContext(world, controlContext.clock(), Schedulers.computation(), threads);
        boolean runs = settings.containers().runtime() == Runtime.DOCKER
                && !settings.without().contains(Settings.ServerPart.PODS);
        this.containerCache = PodRuntime.newCache(settings.node(), work);
        this.runtimeStatus = new RuntimeStatusHolder(
                runs
                        ? new RuntimeStatusHolder.RuntimeStatus.Unknown()
                        : new RuntimeStatusHolder.RuntimeStatus.Disabled());
        this.volumes = new NodeVolumeManager(
                settings.node(),
                new NodeLayout(real(settings.volumes().root()), real(settings.data())),
                new NodeVolumeManager.OperationSettings(
                        settings.volumes().deadline(), new OperationDurationMetrics(controlContext.meters()), faults),
                work,
                new NodeVolumeManager.NodePaths(bases(), settings.protectedHostPaths()),
                runs ? containerCache : PodStateProvider.NONE,
                (pod, audience, seconds) -> issueToken(tokens, pod, audience, seconds));
        this.containers = runs
                ? Optional.of(new NodeContainers(settings, containerCache, volumes, runtimeStatus, work, random))
                : Optional.empty();
        this.monitor = new VolumeMonitor(
                volumes.nodeContext(), volumes.monitorContext(), usage, volumes.executor()::pendingOperations, work);
        this.executor = new WorkExecutor(
                settings.node(),
                this::perform,
                new WorkLimits(
                        usual.local(), usual.perServer(), settings.volumes().deadline()),
                work);
    }

    private String issueToken(ServiceAccountTokens tokens, ObjectNode pod, String audience, long seconds)
            throws VolumeException {
        JsonNode metadata = pod.path("metadata");
        String namespace = metadata.path("namespace").asText("");
        String account = pod.path("spec").path("serviceAccountName").asText("default");
        StoredObject stored = world.world()
                .get(Pod.key(namespace, metadata.path("name").asText("")))
                .filter(found -> Pod.of(found).uid().equals(metadata.path("uid").asText("")))
                .orElseThrow(() -> VolumeException.clean("NotFound", "the Pod no longer exists"));
        StoredObject owner = world.world()
                .get(ObjectKey.namespaced("serviceaccounts", namespace, account))
                .orElseThrow(() -> VolumeException.clean(
                        "NotFound",
                        "serviceaccounts \"" + account + "\" not found: create it, or change serviceAccountName"));
        return tokens.sign(
                        owner,
                        Optional.of(ServiceAccountTokens.BoundObject.pod(stored)),
                        audience.isEmpty() ? List.of() : List.of(audience),
                        Duration.ofSeconds(seconds))
                .text();
    }

    private VolumeWorkResult perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        if (volumes.chaos().isPresent()) {
            volumes.chaos().get().awaitServer(work, settings.volumes().nfs().server());
        }
        return workers().perform(work);
    }

    /** Returns the workers, created on first use to keep start-up short. */
    private synchronized VolumeWorkers workers() {
        if (workers == null) {
            workers = VolumeWorkers.of(workerSettings());
        }
        return workers;
    }

    /** Returns the directories that may hold volume data. */
    private List<Path> bases() {
        return Stream.concat(Stream.of(settings.volumes().base()), settings.volumes().allowedBases().stream())
                .map(NodeAgent::real)
                .toList();
    }

    private WorkerSettings workerSettings() {
        Settings.VolumeSettings volumes = settings.volumes();
        Path data = real(settings.data());
        Settings.VolumeSettings.Nfs nfs = volumes.nfs();
        return new WorkerSettings(
                volumes.allowedBases().stream().map(NodeAgent::real).toList(),
                real(volumes.base()),
                data,
                data.resolve("mounts"),
                new NfsSettings(
                        nfs.server(),
                        share(nfs),
                        nfs.isServer() ? NfsSettings.NfsRole.SERVER : NfsSettings.NfsRole.CLIENT),
                volumes.deadline());
    }

    /** Returns the exported directory as volume sources name it. */
    static Path share(Settings.VolumeSettings.Nfs nfs) {
        return nfs.isServer() ? real(nfs.share()) : nfs.share();
    }

    /**
     * Resolves symbolic links in the existing part of a path: configured paths may contain links, paths below them may
     * not.
     */
    static Path real(Path path) {
        Path whole = path.toAbsolutePath().normalize();
        for (Path existing = whole; existing != null; existing = existing.getParent()) {
            if (Files.exists(existing)) {
                try {
                    return existing.toRealPath()
                            .resolve(existing.relativize(whole))
                            .normalize();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }
        return whole;
    }

    /** Starts the verticles. Each is up when its initial sync is complete. */
    Future<?> start(NodeReporterVerticle.LeaseRenewer heartbeat, Supplier<String> uids) {
        String node = settings.node();
        NodeReporter reporter =
                new NodeReporter(node, VersionInfo.ofThisBuild().gitVersion(), uids, runtimeStatus::status);
        LinuxMachine machine = MachineInspector.machine(settings, controlContext.clock());
        Future<?> up = Future.all(List.of(
                supervise("volume-operator", () -> new VolumeOperationController(node), executor),
                supervise(
                        "populator",
                        () -> new Populator(
                                node,
                                volumes.nodeContext().plugins(),
                                volumes.nodeContext().containers())),
                superviseAfterRecovery("reconciler", () -> new Reconciler(volumes.nodeContext()), volumes.executor()),
                superviseAfterRecovery(
                        "pod-directories",
                        () -> new PodDirectoryController(
                                node, volumes.nodeContext().containers()),
                        volumes.cleaner()),
                supervise("volume-usage", monitor::usage, monitor::executeUsage),
                supervise("volume-health", monitor::health, monitor::executeHealth),
                supervise("volumes-in-use", () -> new VolumesInUse(node)),
                supervisor.supervise(ChildSpec.optional(
                        "node-status",
                        supervision -> new NodeReporterVerticle(
                                reporter,
                                machine,
                                heartbeat,
                                world,
                                controlContext.clock(),
                                NodeReporterVerticle.DEFAULT_INTERVAL,
                                runtimeStatus)))));
        if (!settings.without().contains(Settings.ServerPart.PODS)) {
            Future<Void> pods = containers.isPresent()
                    ? superviseAfterRecovery(
                            "pods", containers.get()::driver, containers.get().effects())
                    : supervise("pods", () -> new PodsWithoutRuntime(node));
            up = Future.all(up, pods);
        }
        Optional<ServiceNetwork> services = serviceNetwork();
        if (services.isPresent()) {
            ServiceRange range = settings.serviceNetwork().orElseThrow();
            up = Future.all(up, supervise("service-proxy", () -> new ServiceProxyController(range), services.get()));
        }
        List<DiscoveryDirectory> directories = settings.volumes().discovery().stream()
                .map(NodeAgent::directory)
                .toList();
        return directories.isEmpty() ? up : Future.all(up, discover(directories));
    }

    /** Starts a controller after the actual state of this machine has been recovered. */
    private Future<Void> superviseAfterRecovery(String name, Supplier<Controller> controller, EffectExecutor effects) {
        return supervisor.supervise(ChildSpec.optional(
                name,
                supervision -> volumes.startupRecovery()
                        .guard(() -> new ControllerVerticle(
                                controller, effects, controlContext, supervision::reportFailure))));
    }

    private Future<?> discover(List<DiscoveryDirectory> directories) {
        String node = settings.node();
        return Future.all(
                supervise("discovered-volumes", () -> new DiscoveredReclaimer(node)),
                supervisor.supervise(ChildSpec.optional(
                        "discovery",
                        supervision -> new DiscoveryVerticle(
                                new LocalVolumeDiscovery(node, directories, RESCAN, world, controlContext.clock()),
                                supervision::reportFailure))));
    }

    private static DiscoveryDirectory directory(DiscoverySettings each) {
        return new DiscoveryDirectory(
                each.directory(),
                each.storageClass(),
                each.has(DiscoverySettings.Option.MOUNTS),
                each.has(DiscoverySettings.Option.WIPE));
    }

    /** Starts a controller that proposes only. */
    private Future<Void> supervise(String name, Supplier<Controller> controller) {
        return supervise(name, controller, EffectExecutor.NONE);
    }

    private Future<Void> supervise(String name, Supplier<Controller> controller, EffectExecutor effects) {
        return supervisor.supervise(ChildSpec.optional(
                name,
                supervision ->
                        new ControllerVerticle(controller, effects, controlContext, supervision::reportFailure)));
    }

    /** Returns the network of Services, if this node serves it. */
    private Optional<ServiceNetwork> serviceNetwork() {
        return containers.flatMap(NodeContainers::serviceNetwork);
    }

    /** Returns the health check of the network of Services, if this node has one. */
    Optional<HealthCheck> serviceHealth() {
        return serviceNetwork()
                .map(network -> HealthCheck.ready(
                        "services",
                        () -> network.problem()
                                .map(HealthCheck.HealthResult::degraded)
                                .orElseGet(HealthCheck.HealthResult::ok)));
    }

    /** Starts to watch the container engine in the background. */
    void startWatchingRuntime() {
        containers.ifPresent(NodeContainers::start);
    }

    /** Returns access to the containers of this machine; empty if it runs none. */
    Optional<LocalContainerAccess> containerAccess() {
        return containers.map(NodeContainers::containerAccess);
    }

    /** Starts Docker's volume driver, unless it is disabled or this machine runs no containers. */
    Future<?> startVolumeDriver(ResourceWriter writer, Catalog catalog, WorldWaiter waiter, UsageCache usage) {
        Settings.ContainerSettings.VolumeDriverSettings driver =
                settings.containers().volumeDriver();
        if (containers.isEmpty() || driver.socket().isEmpty()) {
            return Future.succeededFuture();
        }
        DriverContext context = new DriverContext(
                settings.node(),
                new DriverContext.DriverOptions(
                        driver.namespace(), Quantity.ofBytes(driver.size()).toString(), driver.deadline()),
                waiter,
                writer,
                catalog,
                User.of(VolumeDriver.ACTOR, Grant.everywhere(Role.ADMIN)),
                controlContext.clock(),
                mounted -> new VolumeCheck(
                                volumes.nodeContext().layout(),
                                volumes.monitorContext().mounter())
                        .checkVolumes(mounted),
                containers.get()::volumeUsers,
                claim -> usage.of(claim.namespace().orElse(""), claim.name()).map(UsageCache.Used::text));
        // One driver for all instances of the verticle: it knows the mounts in progress.
        VolumeDriver requests = new VolumeDriver(context);
        return supervisor.supervise(ChildSpec.optional(
                "volume-driver",
                supervision -> volumes.startupRecovery()
                        .guard(() -> new VolumeDriverVerticle(
                                requests, driver.socket().get()))));
    }

    /** Returns the containers of this machine, as far as they are known. */
    List<ContainerFacts> containers() {
        return containerCache.containers();
    }

    VolumeMetrics metrics() {
        return monitor.metrics();
    }

    /** Interrupts running operations; the next process repeats them. */
    @Override
    public void close() {
        containers.ifPresent(NodeContainers::close);
        monitor.close();
        executor.close();
        volumes.close();
        threads.shutdownNow();
    }
}
