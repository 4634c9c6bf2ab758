package dev.mooring.sim.node;

import dev.mooring.control.Controller;
import dev.mooring.control.StoredJson;
import dev.mooring.model.ObjectKey;
import dev.mooring.node.WorldPort;
import dev.mooring.node.container.ContainerSpecs;
import dev.mooring.node.container.SpecParts;
import dev.mooring.node.desired.Populator;
import dev.mooring.node.health.HealthWatch;
import dev.mooring.node.health.Prober;
import dev.mooring.node.health.ServerVolumes;
import dev.mooring.node.health.ServerWatch;
import dev.mooring.node.orphan.NodeWarnings;
import dev.mooring.node.orphan.PodDirectories;
import dev.mooring.node.orphan.Strays;
import dev.mooring.node.pod.ContainerBook;
import dev.mooring.node.pod.EngineLink;
import dev.mooring.node.pod.Pods;
import dev.mooring.node.reconcile.BeforeUnmount;
import dev.mooring.node.reconcile.NodeParts;
import dev.mooring.node.reconcile.OperationExecutor;
import dev.mooring.node.reconcile.OperationObserver;
import dev.mooring.node.reconcile.Reconciler;
import dev.mooring.node.reconcile.RecoveryGate;
import dev.mooring.node.reconcile.SimGate;
import dev.mooring.node.status.EngineSight;
import dev.mooring.node.status.Heartbeat;
import dev.mooring.node.status.NodeNews;
import dev.mooring.node.status.NodeReporter;
import dev.mooring.node.status.SimReporter;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.work.VolumeOperator;
import dev.mooring.node.work.WorkExecutor;
import dev.mooring.node.work.WorkLimits;
import dev.mooring.node.work.WorkParts;
import dev.mooring.runtime.ContainerSpec.Dns;
import dev.mooring.sim.Living;
import dev.mooring.sim.Verticles;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerListener;
import dev.mooring.volume.nfs.SimPermits;
import dev.mooring.volume.path.MountTable;
import dev.mooring.world.Ledger;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Supplier;

/** A node's real code in one process, wired to a simulated machine as {@code cli.NodeAgent} wires it to a real one. Dies with the life it is given. */
public final class SimNode {
    private static final Duration DEADLINE = Duration.ofMinutes(2);
    private static final int FIRST_START_ROUNDS = 200;
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final SimMachine machine;
    private final Parts given;
    private final String name;
    private final WorkParts work;
    private final NfsServers servers;
    private final SimNfs nfs;
    private final ContainerBook book;
    private final NodeParts node;
    private final OperationExecutor executor;
    private final RecoveryGate gate;

    /**
     * What a process gives it.
     *
     * @param random of this incarnation
     */
    public record Parts(
            Living life, Ledger ledger, Clock clock, Heartbeat heartbeat, Verticles verticles, Random random) {}

    /** Begins at once; what must wait until it is known what the machine has begins then. */
    public SimNode(SimMachine machine, Parts parts) {
        this.machine = machine;
        this.given = parts;
        this.name = machine.name();
        WorldPort world = WorldPort.of(parts.ledger());
        Living life = parts.life();
        this.work = new WorkParts(world, parts.clock(), life.scheduler("timers"), life.threads());
        machine.occupiedBy(world::world);
        this.servers = new NfsServers(parts.clock(), ServerListener.NOBODY);
        this.nfs = new SimNfs(machine, servers);
        this.book = Pods.book(name, work);
        this.node = new NodeParts(
                name,
                machine.kernel().layout(),
                new VolumePlugins(List.of(
                        nfs,
                        new SimHostPath(machine),
                        new SimLocal(machine),
                        new SimBlock(machine),
                        SimOwn.emptyDir(machine),
                        SimOwn.configMap(machine),
                        SimOwn.secret(machine))),
                book,
                BeforeUnmount.NOTHING);
        this.executor = new OperationExecutor(node, OperationObserver.NONE, new WorkLimits(8, 4, DEADLINE), work);
        Strays strays =
                new Strays(name, List.of(Path.of("/srv/mooring")), world, new NodeWarnings(name, world, parts.clock()));
        this.gate = new RecoveryGate(node, () -> machine::look, new PatientPort(world), parts.clock(), strays::report);
        startWhenNamed(FIRST_START_ROUNDS);
    }

    /** A server that is started for the first time first writes down who it is: containers carry that. */
    private void startWhenNamed(int rounds) {
        if (rounds == 0 || !instance().startsWith(".")) {
            start();
        } else {
            given.life().after(Duration.ofMillis(5), given.life().strand("node"), () -> startWhenNamed(rounds - 1));
        }
    }

    private void start() {
        WorkExecutor worker = new WorkExecutor(
                name,
                new SimWorker(machine),
                new WorkLimits(WorkLimits.DEFAULT.local(), WorkLimits.DEFAULT.perServer(), DEADLINE),
                work);
        run("volume-operator", () -> new VolumeOperator(name, worker));
        run("populator", () -> new Populator(name, node.plugins(), book));
        run("volumes-in-use", () -> new VolumesInUse(name));
        watchHealth();
        NodeNews news = new NodeNews(new EngineSight.Unknown());
        new SimReporter(
                        new NodeReporter(name, "v1.0.0-sim", this::uid, news::engine),
                        machine::facts,
                        given.heartbeat(),
                        work.world(),
                        work.clock(),
                        news,
                        given.life())
                .start();
        Pods pods = pods(news);
        given.life().threads().execute(() -> passTheGate(pods));
    }

    private void run(String part, Supplier<? extends Controller> controllers) {
        given.verticles().run(name + '/' + part, controllers);
    }

    private String uid() {
        return new UUID(given.random().nextLong(), given.random().nextLong()).toString();
    }

    private void watchHealth() {
        ServerVolumes volumes = new ServerVolumes();
        Prober prober = new Prober(
                name,
                servers,
                new Prober.Look() {
                    @Override
                    public Health probe(Path target) throws InterruptedException {
                        return nfs.probe(target.toString());
                    }

                    @Override
                    public MountTable table() {
                        return machine.kernel().table();
                    }
                },
                book,
                work);
        ServerWatch watch = new ServerWatch(
                name,
                servers,
                volume -> {
                    String server = volume.source().path("nfs").path("server").asText("");
                    SimPermits.knock(servers, server, () -> {
                        nfs.ask(server, Left.NOTHING);
                        return server;
                    });
                },
                volumes,
                prober,
                work);
        servers.listen(watch);
        run("volume-health", () -> new HealthWatch(name, prober, volumes));
    }

    private Pods pods(NodeNews news) {
        ContainerSpecs specs = new ContainerSpecs(new SpecParts(
                machine.kernel().layout(),
                new SimMounter(machine),
                new NoCalls(),
                null,
                key -> work.world().world().get(key).map(StoredJson::tree),
                () -> new Dns(List.of(), List.of(), List.of()),
                () -> false,
                () -> true));
        return new Pods(
                new Pods.Given(
                        name,
                        instance(),
                        machine.engine(),
                        book,
                        specs,
                        new Random(given.random().nextLong())),
                machine.engine()::pauseImage,
                work,
                state -> told(news, state));
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

    private static void told(NodeNews news, EngineLink.State state) {
        if (state instanceof EngineLink.State.Present present) {
            news.engine(new EngineSight.Present(present.info().text()));
        } else if (state instanceof EngineLink.State.Absent absent) {
            news.engine(new EngineSight.Absent(absent.why()));
        }
    }

    private void passTheGate(Pods pods) {
        try {
            SimGate.pass(gate);
        } catch (VolumeException e) {
            machine.storage().coverage().hit("gate stays closed", e.reason());
            given.life()
                    .after(
                            AGAIN,
                            given.life().strand("gate"),
                            () -> given.life().threads().execute(() -> passTheGate(pods)));
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        run("reconciler", () -> new Reconciler(node, executor));
        run(
                "pod-directories",
                () -> new PodDirectories(name, book, new SimCleaner(machine, work.world()::world, work.threads())));
        run("pods", pods::driver);
        pods.start();
    }

    /** How many operations on volumes are under way. */
    public int underWay() {
        return executor.underWay();
    }
}
