package dev.mooring.cli;

import dev.mooring.api.VersionInfo;
import dev.mooring.chaos.Faults;
import dev.mooring.cli.config.ContainerSettings.Runtime;
import dev.mooring.cli.config.DiscoverySettings;
import dev.mooring.cli.config.Part;
import dev.mooring.cli.config.Settings;
import dev.mooring.cli.config.VolumeSettings;
import dev.mooring.cli.supervise.ChildSpec;
import dev.mooring.cli.supervise.Supervisor;
import dev.mooring.control.ControlParts;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.node.WorldPort;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.desired.Populator;
import dev.mooring.node.discover.Directory;
import dev.mooring.node.discover.DiscoveredReclaimer;
import dev.mooring.node.discover.Discovery;
import dev.mooring.node.discover.DiscoveryVerticle;
import dev.mooring.node.orphan.PodDirectories;
import dev.mooring.node.pod.ContainerBook;
import dev.mooring.node.pod.Pods;
import dev.mooring.node.pod.PodsWithoutRuntime;
import dev.mooring.node.reconcile.Reconciler;
import dev.mooring.node.status.EngineSight;
import dev.mooring.node.status.Heartbeat;
import dev.mooring.node.status.LinuxMachine;
import dev.mooring.node.status.NodeNews;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.node.status.NodeReporterVerticle;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.usage.OperationTimes;
import dev.mooring.node.usage.UsageBook;
import dev.mooring.node.usage.VolumeMetrics;
import dev.mooring.node.work.VolumeOperator;
import dev.mooring.node.work.WorkExecutor;
import dev.mooring.node.work.WorkLimits;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.work.NfsSettings;
import dev.mooring.volume.work.VolumeWork;
import dev.mooring.volume.work.VolumeWorkException;
import dev.mooring.volume.work.VolumeWorkers;
import dev.mooring.volume.work.WorkDone;
import dev.mooring.volume.work.WorkerSettings;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What this machine does as a node: mounts, work on the data of volumes, discovery of disks, signs of life. A verticle each. */
final class NodeAgent implements AutoCloseable {
    private static final Duration RESCAN = Duration.ofMinutes(5);

    private final Supervisor supervisor;
    private final ControlParts parts;
    private final Settings settings;
    private final WorldPort world;
    private final ExecutorService threads = WorkParts.newThreads();
    private final WorkExecutor executor;
    private final NodeVolumes volumes;
    private final VolumeLookout lookout;
    private final NodeNews news;
    private final Optional<NodeContainers> containers;
    private VolumeWorkers workers;

    /**
     * @param usage what is measured goes there
     * @param random spreads what need not happen at once
     * @param faults that can be had on demand
     */
    NodeAgent(
            Supervisor supervisor,
            ControlParts parts,
            Settings settings,
            UsageBook usage,
            Random random,
            Optional<Faults> faults) {
        this.supervisor = supervisor;
        this.parts = parts;
        this.settings = settings;
        this.world = WorldPort.of(parts.ledger());
        WorkLimits usual = WorkLimits.DEFAULT;
        WorkParts work = new WorkParts(world, parts.clock(), Schedulers.computation(), threads);
        boolean runs = settings.containers().runtime() == Runtime.DOCKER
                && !settings.without().contains(Part.PODS);
        ContainerBook book = Pods.book(settings.node(), work);
        this.news = new NodeNews(runs ? new EngineSight.Unknown() : new EngineSight.Unwanted());
        this.volumes = new NodeVolumes(
                settings.node(),
                new NodeLayout(real(settings.volumes().root()), real(settings.data())),
                new NodeVolumes.Handling(settings.volumes().deadline(), new OperationTimes(parts.meters()), faults),
                work,
                new NodeVolumes.Places(bases(), settings.guardedPlaces()),
                runs ? book : Containers.NONE);
        this.containers = runs
                ? Optional.of(
                        new NodeContainers(settings.node(), settings.containers(), book, volumes, news, work, random))
                : Optional.empty();
        this.lookout = new VolumeLookout(volumes.parts(), volumes.eyes(), usage, volumes.executor()::underWay, work);
        this.executor = new WorkExecutor(
                settings.node(),
                this::perform,
                new WorkLimits(
                        usual.local(), usual.perServer(), settings.volumes().deadline()),
                work);
    }

    private WorkDone perform(VolumeWork work) throws VolumeWorkException, InterruptedException {
        if (volumes.chaos().isPresent()) {
            volumes.chaos().get().awaitServer(work, settings.volumes().nfs().server());
        }
        return workers().perform(work);
    }

    /** Made when first needed: a start has enough to do. */
    private synchronized VolumeWorkers workers() {
        if (workers == null) {
            workers = VolumeWorkers.of(workerSettings());
        }
        return workers;
    }

    /** Where data of volumes may be. */
    private List<Path> bases() {
        return Stream.concat(Stream.of(settings.volumes().base()), settings.volumes().allowedBases().stream())
                .map(NodeAgent::real)
                .toList();
    }

    private WorkerSettings workerSettings() {
        VolumeSettings volumes = settings.volumes();
        Path data = real(settings.data());
        VolumeSettings.Nfs nfs = volumes.nfs();
        return new WorkerSettings(
                volumes.allowedBases().stream().map(NodeAgent::real).toList(),
                real(volumes.base()),
                data,
                data.resolve("mounts"),
                new NfsSettings(
                        nfs.server(),
                        nfs.isServer() ? real(nfs.share()) : nfs.share(),
                        nfs.isServer() ? NfsSettings.Role.SERVER : NfsSettings.Role.CLIENT),
                volumes.deadline());
    }

    /**
     * The path without symbolic links, as far as it exists: what the administrator put into the configuration may go through some, what
     * is below it may not.
     */
    private static Path real(Path path) {
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

    /** Each is up when it has looked through what concerns it. */
    Future<?> start(Heartbeat heartbeat, Supplier<String> uids) {
        String node = settings.node();
        NodeReporter reporter = new NodeReporter(node, VersionInfo.ofThisBuild().gitVersion(), uids, news::engine);
        Path base = real(settings.volumes().base());
        LinuxMachine machine =
                new LinuxMachine(real(settings.data()), Map.of("hostpath", base, "local", base, "block", base));
        Future<?> up = Future.all(List.of(
                supervise("volume-operator", () -> new VolumeOperator(node, executor)),
                supervise(
                        "populator",
                        () -> new Populator(
                                node, volumes.parts().plugins(), volumes.parts().containers())),
                superviseBehindTheGate("reconciler", () -> new Reconciler(volumes.parts(), volumes.executor())),
                superviseBehindTheGate(
                        "pod-directories",
                        () -> new PodDirectories(node, volumes.parts().containers(), volumes.cleaner())),
                supervise("volume-usage", lookout::usage),
                supervise("volume-health", lookout::health),
                supervise("volumes-in-use", () -> new VolumesInUse(node)),
                supervisor.supervise(ChildSpec.part(
                        "node-status",
                        supervision -> new NodeReporterVerticle(
                                reporter,
                                machine,
                                heartbeat,
                                world,
                                parts.clock(),
                                NodeReporterVerticle.DEFAULT_INTERVAL,
                                news)))));
        if (!settings.without().contains(Part.PODS)) {
            Future<Void> pods = containers.isPresent()
                    ? superviseBehindTheGate("pods", containers.get()::driver)
                    : supervise("pods", () -> new PodsWithoutRuntime(node));
            up = Future.all(up, pods);
        }
        List<Directory> directories = settings.volumes().discovery().stream()
                .map(NodeAgent::directory)
                .toList();
        return directories.isEmpty() ? up : Future.all(up, discover(directories));
    }

    /** Not before it is known what this machine has. */
    private Future<Void> superviseBehindTheGate(String name, Supplier<Controller> controller) {
        return supervisor.supervise(ChildSpec.part(
                name,
                supervision ->
                        volumes.gate().before(() -> new ControllerVerticle(controller, parts, supervision::died))));
    }

    private Future<?> discover(List<Directory> directories) {
        String node = settings.node();
        return Future.all(
                supervise("discovered-volumes", () -> new DiscoveredReclaimer(node)),
                supervisor.supervise(ChildSpec.part(
                        "discovery",
                        supervision -> new DiscoveryVerticle(
                                new Discovery(node, directories, RESCAN, world, parts.clock()), supervision::died))));
    }

    private static Directory directory(DiscoverySettings each) {
        return new Directory(
                each.directory(),
                each.storageClass(),
                each.has(DiscoverySettings.Option.MOUNTS),
                each.has(DiscoverySettings.Option.WIPE));
    }

    private Future<Void> supervise(String name, Supplier<Controller> controller) {
        return supervisor.supervise(
                ChildSpec.part(name, supervision -> new ControllerVerticle(controller, parts, supervision::died)));
    }

    /** Begins to look at the engine: nothing waits for that, and a start has enough to do. */
    void follow() {
        containers.ifPresent(NodeContainers::start);
    }

    /** The way to what runs here; nothing if nothing does. */
    Optional<ContainerDoor> door() {
        return containers.map(NodeContainers::door);
    }

    VolumeMetrics metrics() {
        return lookout.metrics();
    }

    /** What is being done is interrupted; the next process does it again. */
    @Override
    public void close() {
        containers.ifPresent(NodeContainers::close);
        lookout.close();
        executor.close();
        volumes.close();
        threads.shutdownNow();
    }
}
