package dev.mooring.kernel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Backoff;
import dev.mooring.control.ControlContext;
import dev.mooring.control.Controller;
import dev.mooring.control.ControllerVerticle;
import dev.mooring.control.EffectExecutor;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.attach.AttachDetachController;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.log.RealDisk;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.WorldPort;
import dev.mooring.node.monitor.MountHealthController;
import dev.mooring.node.monitor.MountProber;
import dev.mooring.node.monitor.RemoteServerMonitor;
import dev.mooring.node.pods.PodsWithoutRuntime;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.volumemanager.DirectoryCleaner;
import dev.mooring.node.volumemanager.MachineScanner;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.NodeWarnings;
import dev.mooring.node.volumemanager.OperationExecutor;
import dev.mooring.node.volumemanager.OperationObserver;
import dev.mooring.node.volumemanager.OrphanScanner;
import dev.mooring.node.volumemanager.PodDirectoryController;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.Populator;
import dev.mooring.node.volumemanager.Reconciler;
import dev.mooring.node.volumemanager.StartupRecovery;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.node.volumemanager.WorkLimits;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.subpath.SubPaths;
import dev.mooring.volume.work.PodDirectory;
import dev.mooring.world.Ledger;
import dev.mooring.world.LedgerVerticle;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.StateStore;
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
 * The node components of a server, connected as in the server, on a log in memory and without fakes: populator,
 * reconciler, executor, attach/detach controller, all plugins. The name of a Pod is its uid; Pods are in the namespace
 * {@code ns}. Tests wait for states of the World, without sleeps. Thread-safe.
 */
final class RealNodeFixture implements AutoCloseable {
    static final String NAME = "n1";

    private static final Duration OPERATION_TIMEOUT = Duration.ofMinutes(2);
    private static final Duration PROGRAM_TIMEOUT = Duration.ofSeconds(31);
    private static final String BASE_OBJECTS = """
        {kind: Namespace, metadata: {name: ns}}
        ---
        {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {conditions: [{type: Ready, status: "True"}]}}
        """;

    final KernelNodeFixture kernel;
    private final ExecutorService dispatcher = Executors.newSingleThreadExecutor(RealNodeFixture::daemon);
    private final ThreadPoolExecutor threads = (ThreadPoolExecutor) WorkContext.newThreads();
    private final Clock clock = Clock.systemUTC();
    private final Vertx vertx = vertx();
    private final StateStore stateStore;
    private final WorldAwaiter awaiter;
    private final ControlContext control;
    private final WorkContext work;
    private final NodeContext context;
    private final OperationExecutor executor;

    /** Wrappers that a test puts around the plugins and the World of the node. */
    interface Interception {
        Interception NONE = new Interception() {};

        default VolumePlugins plugins(VolumePlugins real) {
            return real;
        }

        default WorldPort world(WorldPort real) {
            return real;
        }
    }

    private RealNodeFixture(KernelNodeFixture kernel, Path log, Interception interception) throws IOException {
        this.kernel = kernel;
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        StateStore.Options options =
                new StateStore.Options(log, 1 << 20, new Ledger.Limits(1000, 64, 1 << 20), 1024, 1 << 22);
        this.stateStore = StateStore.open(new RealDisk(), options, clock, meters, dispatcher);
        this.awaiter = new WorldAwaiter(stateStore);
        this.control = new ControlContext(
                stateStore.ledger(), stateStore.hub(), Schedulers.io(), clock, meters, Backoff.DEFAULT);
        WorldPort world = interception.world(WorldPort.of(stateStore.ledger()));
        this.work = new WorkContext(world, clock, Schedulers.computation(), threads);
        SystemCalls calls = SystemCalls.real();
        VolumePlugins plugins = VolumePlugins.load(new PluginContext(
                kernel.layout,
                kernel.mounter,
                kernel.commands,
                calls,
                key -> world().get(key).map(StoredObject::toTree),
                clock,
                PROGRAM_TIMEOUT));
        SubPaths subPaths = new SubPaths(kernel.layout, kernel.mounter, calls, kernel.commands, PROGRAM_TIMEOUT);
        this.context = new NodeContext(
                NAME, kernel.layout, interception.plugins(plugins), PodStateProvider.NONE, subPaths::clean);
        this.executor =
                new OperationExecutor(context, OperationObserver.NONE, new WorkLimits(8, 4, OPERATION_TIMEOUT), work);
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

    /** Starts a node. */
    static RealNodeFixture start(String name, Path log) throws IOException {
        return start(KernelNodeFixture.at(name), log, Interception.NONE, "");
    }

    /** @param yaml objects that exist before the node starts */
    static RealNodeFixture start(KernelNodeFixture kernel, Path log, Interception interception, String yaml)
            throws IOException {
        RealNodeFixture node = new RealNodeFixture(kernel, log, interception);
        node.deploy(new LedgerVerticle(node.stateStore.ledger(), RealNodeFixture::onVerticleFailure));
        if (node.world().revision() == 0) {
            node.put(BASE_OBJECTS);
        }
        node.put(yaml);
        node.run(AttachDetachController::new);
        node.run(() -> new Populator(NAME, node.context.plugins(), node.context.containers()));
        node.run(() -> new VolumesInUse(NAME));
        node.run(() -> new PodsWithoutRuntime(NAME));
        node.mountAndCleanUp();
        return node;
    }

    /** Deploys the reconciler, which waits for the scan of the machine, and the cleanup of directories. */
    private void mountAndCleanUp() {
        NodeWarnings warnings = new NodeWarnings(NAME, work.world(), clock);
        OrphanScanner orphans = new OrphanScanner(NAME, List.of(), work.world(), warnings);
        StartupRecovery startupRecovery = new StartupRecovery(
                context, () -> new MachineScanner(kernel.layout, kernel.mounter), work.world(), clock, orphans::report);
        deploy(startupRecovery.guard(() -> verticle(() -> new Reconciler(context), executor)));
        PodDirectory directories = new PodDirectory(kernel.layout, kernel.mounter, SystemCalls.real());
        DirectoryCleaner cleaner =
                new DirectoryCleaner(NAME, directories, work.world(), context.containers(), warnings, threads);
        deploy(verticle(() -> new PodDirectoryController(NAME, context.containers()), cleaner));
    }

    private static void onVerticleFailure(Throwable cause) {
        throw new AssertionError("A verticle failed", cause);
    }

    private void run(Supplier<Controller> controller) {
        deploy(verticle(controller, EffectExecutor.NONE));
    }

    private ControllerVerticle verticle(Supplier<Controller> controller, EffectExecutor effects) {
        return new ControllerVerticle(controller, effects, control, RealNodeFixture::onVerticleFailure);
    }

    private void deploy(VerticleBase verticle) {
        get(vertx.deployVerticle(verticle));
    }

    private static <T> T get(Future<T> future) {
        return WorldAwaiter.get(future.toCompletionStage().toCompletableFuture(), () -> "a result");
    }

    /** Starts probing NFS mounts, at once and then periodically. */
    AutoCloseable watchHealth() {
        NfsPlugin nfs = (NfsPlugin) context.plugins().named(NfsPlugin.NAME).orElseThrow();
        MountProber.MountInspector inspector = new MountProber.MountInspector() {
            @Override
            public MountHealth probe(Path target) throws InterruptedException {
                return nfs.probe(target);
            }

            @Override
            public MountTable table() throws VolumeException {
                return kernel.mounter.table();
            }
        };
        MountProber prober = new MountProber(NAME, nfs.name(), nfs.servers(), inspector, context.containers(), work);
        RemoteServerMonitor servers =
                new RemoteServerMonitor(NAME, nfs.name(), nfs.servers(), nfs::retryServer, prober, work);
        nfs.servers().addListener(servers);
        String deployment = get(vertx.deployVerticle(verticle(() -> new MountHealthController(NAME), prober)));
        return () -> {
            get(vertx.undeploy(deployment));
            servers.close();
            prober.close();
        };
    }

    World world() {
        return stateStore.ledger().world();
    }

    /** Puts objects, replacing existing ones. */
    void put(String yaml) {
        WorldFixture.objects(yaml).forEach(this::put);
    }

    void put(ObjectNode object) {
        commit(Proposal.by("tester", "Put").put(WorldFixture.draft(object)).build());
    }

    private void commit(Proposal proposal) {
        Outcome outcome =
                WorldAwaiter.get(stateStore.ledger().propose(proposal).toCompletableFuture(), proposal::toString);
        if (!(outcome instanceof Outcome.Committed)) {
            throw new AssertionError("Proposal " + proposal + " was not committed: " + outcome);
        }
    }

    /** Marks a Pod for deletion as {@code kubectl delete pod} does; it is removed when its volumes are unmounted. */
    void delete(String pod) {
        ObjectNode object = WorldFixture.tree(world(), "pods/ns/" + pod);
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
            await(each + " to be removed", world -> isGone(world, each));
        }
    }

    static boolean isGone(World world, String pod) {
        return world.get(ObjectKey.parse("pods/ns/" + pod)).isEmpty()
                && volume(world, pod).isEmpty();
    }

    /** Puts a Pod, waits until its volume is mounted, and returns the volume. */
    ActualVolume mount(String yaml) {
        put(yaml);
        return awaitMounted(
                WorldFixture.objects(yaml).get(0).path("metadata").path("name").asText());
    }

    ActualVolume awaitMounted(String pod) {
        await(
                "the volume of " + pod + " to be mounted",
                world -> mountOf(world, pod)
                        .filter(ActualVolume.Mount::isMounted)
                        .isPresent());
        return volume(world(), pod).orElseThrow();
    }

    /** Returns the volume of a Pod. */
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

    /** Returns the path of the volume of a Pod. */
    Path path(String pod) {
        return Path.of(mountOf(world(), pod).orElseThrow().path());
    }

    /** Returns reason and message of the Events of a Pod. */
    static List<String> recordedEvents(World world, String pod) {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.list(Scope.resource("events"))) {
            ObjectNode event = each.toTree();
            if (event.path("involvedObject").path("name").asText("").equals(pod)) {
                events.add(event.path("reason").asText("") + ": "
                        + event.path("message").asText(""));
            }
        }
        return events;
    }

    /** Waits until the World satisfies a condition, and returns that World. */
    World await(String what, Predicate<World> reached) {
        return awaiter.await(what, reached, this::text);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        world().list(Scope.resource(StorageNames.DESIRED_VOLUMES))
                .forEach(each -> text.append(each.toTree()).append('\n'));
        volumes(world()).forEach(each -> text.append(each.tree()).append('\n'));
        world().list(Scope.resource("events"))
                .forEach(each ->
                        text.append(each.toTree().path("message").asText("")).append('\n'));
        return text.toString();
    }

    /** Returns the running child processes, worker threads and operations. */
    List<String> busy() {
        List<String> busy = new ArrayList<>(kernel.children());
        if (threads.getActiveCount() + executor.pendingOperations() > 0) {
            busy.add(threads.getActiveCount() + " threads for " + executor.pendingOperations() + " operations");
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
        stateStore.close();
        dispatcher.shutdown();
        kernel.close();
    }
}
