package dev.mooring.kernel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlParts;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.StoredJson;
import dev.mooring.control.Worlds;
import dev.mooring.control.attach.AttachDetach;
import dev.mooring.log.RealDisk;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.WorldPort;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.desired.Populator;
import dev.mooring.node.health.HealthWatch;
import dev.mooring.node.health.Prober;
import dev.mooring.node.health.ServerVolumes;
import dev.mooring.node.health.ServerWatch;
import dev.mooring.node.orphan.DirectoryCleaner;
import dev.mooring.node.orphan.NodeWarnings;
import dev.mooring.node.orphan.PodDirectories;
import dev.mooring.node.orphan.Strays;
import dev.mooring.node.pod.PodsWithoutRuntime;
import dev.mooring.node.reconcile.MachineLook;
import dev.mooring.node.reconcile.NodeParts;
import dev.mooring.node.reconcile.OperationExecutor;
import dev.mooring.node.reconcile.OperationObserver;
import dev.mooring.node.reconcile.Reconciler;
import dev.mooring.node.reconcile.RecoveryGate;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.work.WorkLimits;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.nfs.NfsProbe;
import dev.mooring.volume.orphan.PodDirectory;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.subpath.SubPaths;
import dev.mooring.world.Ledger;
import dev.mooring.world.LedgerVerticle;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.Spine;
import dev.mooring.world.World;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivex.rxjava3.schedulers.Schedulers;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * All that a server has of a node, put together as there, on a log in memory and with nothing played: populator, reconciler, executor, the
 * controller that attaches, all plugins. Pods are named by their uid and live in the namespace {@code ns}. What is waited for is the World;
 * there are no sleeps. Any thread.
 */
final class WholeNode implements AutoCloseable {
    static final String NAME = "n1";

    private static final Duration OPERATION = Duration.ofMinutes(2);
    private static final Duration PROGRAM = Duration.ofSeconds(31);
    private static final String MACHINE = """
        {kind: Namespace, metadata: {name: ns}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {conditions: [{type: Ready, status: "True"}]}}
        """;

    final KernelNode kernel;
    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor(WholeNode::daemon);
    private final ThreadPoolExecutor threads = (ThreadPoolExecutor) WorkParts.newThreads();
    private final Clock clock = Clock.systemUTC();
    private final Vertx vertx = vertx();
    private final Spine spine;
    private final Awaiting awaiting;
    private final ControlParts control;
    private final WorkParts work;
    private final NodeParts parts;
    private final OperationExecutor executor;

    /** What a test puts between the node and what it works with. */
    interface Tampering {
        Tampering NONE = new Tampering() {};

        default VolumePlugins plugins(VolumePlugins real) {
            return real;
        }

        default WorldPort world(WorldPort real) {
            return real;
        }
    }

    private WholeNode(KernelNode kernel, Path log, Tampering tampering) throws IOException {
        this.kernel = kernel;
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        Spine.Options options = new Spine.Options(log, 1 << 20, new Ledger.Limits(1000, 64, 1 << 20), 1024, 1 << 22);
        this.spine = Spine.open(new RealDisk(), options, clock, meters, dispatcher);
        this.awaiting = new Awaiting(spine);
        this.control = new ControlParts(spine.ledger(), spine.hub(), Schedulers.io(), clock, meters, Backoff.DEFAULT);
        WorldPort world = tampering.world(WorldPort.of(spine.ledger()));
        this.work = new WorkParts(world, clock, Schedulers.computation(), threads);
        SystemCalls calls = SystemCalls.real();
        VolumePlugins plugins = VolumePlugins.load(new PluginParts(
                kernel.layout,
                kernel.mounter,
                kernel.commands,
                calls,
                key -> world().get(key).map(StoredJson::tree),
                clock,
                PROGRAM));
        SubPaths subPaths = new SubPaths(kernel.layout, kernel.mounter, calls, kernel.commands, PROGRAM);
        this.parts = new NodeParts(NAME, kernel.layout, tampering.plugins(plugins), Containers.NONE, subPaths::clean);
        this.executor = new OperationExecutor(parts, OperationObserver.NONE, new WorkLimits(8, 4, OPERATION), work);
    }

    private static Vertx vertx() {
        System.setProperty("vertx.disableDnsResolver", "true");
        return Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setBlockedThreadCheckInterval(600_000));
    }

    private static Thread daemon(Runnable task) {
        Thread thread = new Thread(task, "dispatcher");
        thread.setDaemon(true);
        return thread;
    }

    /** One that is up. */
    static WholeNode start(String name, Path log) throws IOException {
        return start(KernelNode.at(name), log, Tampering.NONE, "");
    }

    /** @param yaml is there before the node is */
    static WholeNode start(KernelNode kernel, Path log, Tampering tampering, String yaml) throws IOException {
        WholeNode node = new WholeNode(kernel, log, tampering);
        node.deploy(new LedgerVerticle(node.spine.ledger(), WholeNode::died));
        if (node.world().revision() == 0) {
            node.put(MACHINE);
        }
        node.put(yaml);
        node.run(AttachDetach::new);
        node.run(() -> new Populator(NAME, node.parts.plugins(), node.parts.containers()));
        node.run(() -> new VolumesInUse(NAME));
        node.run(() -> new PodsWithoutRuntime(NAME));
        node.mountAndCleanUp();
        return node;
    }

    /** When it is known what the machine has. */
    private void mountAndCleanUp() {
        NodeWarnings warnings = new NodeWarnings(NAME, work.world(), clock);
        Strays strays = new Strays(NAME, List.of(), work.world(), warnings);
        RecoveryGate gate = new RecoveryGate(
                parts, () -> new MachineLook(kernel.layout, kernel.mounter), work.world(), clock, strays::report);
        deploy(gate.before(() -> verticle(() -> new Reconciler(parts, executor))));
        PodDirectory directories = new PodDirectory(kernel.layout, kernel.mounter, SystemCalls.real());
        DirectoryCleaner cleaner = new DirectoryCleaner(NAME, directories, work.world(), warnings, threads);
        run(() -> new PodDirectories(NAME, parts.containers(), cleaner));
    }

    private static void died(Throwable cause) {
        throw new AssertionError("Expected a verticle to live, but it died", cause);
    }

    private void run(Supplier<Controller> controller) {
        deploy(verticle(controller));
    }

    private ControllerVerticle verticle(Supplier<Controller> controller) {
        return new ControllerVerticle(controller, control, WholeNode::died);
    }

    private void deploy(VerticleBase verticle) {
        get(vertx.deployVerticle(verticle));
    }

    private static <T> T get(Future<T> future) {
        return Awaiting.get(future.toCompletionStage().toCompletableFuture(), () -> "an answer");
    }

    /** From now on mounts of NFS are looked at; the first time at once. */
    AutoCloseable watchHealth() {
        NfsPlugin nfs = (NfsPlugin) parts.plugins().named(NfsPlugin.NAME).orElseThrow();
        NfsProbe probe = new NfsProbe(kernel.commands);
        Prober.Look look = new Prober.Look() {
            @Override
            public Health probe(Path target) throws InterruptedException {
                return probe.probe(target);
            }

            @Override
            public MountTable table() throws VolumeException {
                return kernel.mounter.table();
            }
        };
        ServerVolumes volumes = new ServerVolumes();
        Prober prober = new Prober(NAME, nfs.servers(), look, parts.containers(), work);
        ServerWatch servers = new ServerWatch(NAME, nfs.servers(), nfs::knock, volumes, prober, work);
        nfs.servers().listen(servers);
        String watch = get(vertx.deployVerticle(verticle(() -> new HealthWatch(NAME, prober, volumes))));
        return () -> {
            get(vertx.undeploy(watch));
            servers.close();
            prober.close();
        };
    }

    World world() {
        return spine.ledger().world();
    }

    /** Puts objects, whatever was there. */
    void put(String yaml) {
        Worlds.objects(yaml).forEach(this::put);
    }

    void put(ObjectNode object) {
        commit(Proposal.by("tester", "Put").put(Worlds.draft(object)).build());
    }

    private void commit(Proposal proposal) {
        Outcome outcome = Awaiting.get(spine.ledger().propose(proposal).toCompletableFuture(), proposal::toString);
        if (!(outcome instanceof Outcome.Committed)) {
            throw new AssertionError("Expected " + proposal + " to be committed, but " + outcome);
        }
    }

    /** As `kubectl delete pod` does it; who has nothing to stop lets it go when its volumes are gone. */
    void delete(String pod) {
        ObjectNode object = Worlds.tree(world(), "pods/ns/" + pod);
        object.withObject("/metadata")
                .put("deletionTimestamp", "2026-01-01T00:00:00Z")
                .put("deletionGracePeriodSeconds", 30);
        put(object);
    }

    void deleteAndAwait(String... pods) {
        for (String each : pods) {
            delete(each);
        }
        for (String each : pods) {
            await("the end of " + each, world -> isGone(world, each));
        }
    }

    static boolean isGone(World world, String pod) {
        return world.get(ObjectKey.parse("pods/ns/" + pod)).isEmpty()
                && volume(world, pod).isEmpty();
    }

    /** Puts a Pod and waits until it has its volume, which is answered. */
    ActualVolume mount(String yaml) {
        put(yaml);
        return awaitMounted(
                Worlds.objects(yaml).get(0).path("metadata").path("name").asText());
    }

    ActualVolume awaitMounted(String pod) {
        await(
                pod + " to have its volume",
                world -> mountOf(world, pod)
                        .filter(ActualVolume.Mount::isMounted)
                        .isPresent());
        return volume(world(), pod).orElseThrow();
    }

    /** The volume of a Pod that has one. */
    static Optional<ActualVolume> volume(World world, String pod) {
        return volumes(world).stream()
                .filter(each -> each.mountFor(pod).isPresent())
                .findFirst();
    }

    static Optional<ActualVolume.Mount> mountOf(World world, String pod) {
        return volume(world, pod).flatMap(each -> each.mountFor(pod));
    }

    static List<ActualVolume> volumes(World world) {
        return world.stream(Scope.resource(StorageNames.ACTUAL_VOLUMES))
                .map(ActualVolume::of)
                .toList();
    }

    /** Where a Pod has its volume. */
    Path path(String pod) {
        return Path.of(mountOf(world(), pod).orElseThrow().path());
    }

    /** What a Pod was told: reason and words. */
    static List<String> told(World world, String pod) {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            ObjectNode event = StoredJson.tree(each);
            if (event.path("involvedObject").path("name").asText("").equals(pod)) {
                told.add(event.path("reason").asText("") + ": "
                        + event.path("message").asText(""));
            }
        }
        return told;
    }

    /** Waits for the World to be so, and answers with one that is. */
    World await(String what, Predicate<World> reached) {
        return awaiting.await(what, reached, this::text);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        world().list(Scope.resource(StorageNames.DESIRED_VOLUMES))
                .forEach(each -> text.append(StoredJson.tree(each)).append('\n'));
        volumes(world()).forEach(each -> text.append(each.tree()).append('\n'));
        world().list(Scope.resource("events"))
                .forEach(each -> text.append(
                                StoredJson.tree(each).path("message").asText(""))
                        .append('\n'));
        return text.toString();
    }

    /** What is being done, by threads and by programs. */
    List<String> busy() {
        List<String> busy = new ArrayList<>(kernel.children());
        if (threads.getActiveCount() + executor.underWay() > 0) {
            busy.add(threads.getActiveCount() + " threads for " + executor.underWay() + " operations");
        }
        Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(each -> each.startsWith("output of") || each.startsWith("errors of"))
                .forEach(busy::add);
        return busy;
    }

    @Override
    public void close() throws IOException {
        executor.close();
        threads.shutdownNow();
        get(vertx.close());
        spine.close();
        dispatcher.shutdown();
        kernel.close();
    }
}
