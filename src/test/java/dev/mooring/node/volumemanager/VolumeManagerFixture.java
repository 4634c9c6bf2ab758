package dev.mooring.node.volumemanager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.MultiControllerFixture;
import dev.mooring.control.WorldFixture;
import dev.mooring.control.attach.AttachDetachController;
import dev.mooring.host.MountTable;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.WorldPort;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import io.reactivex.rxjava3.schedulers.TestScheduler;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A node's populator, reconciler and executor, and the attach/detach controller, in virtual time and without threads:
 * the test runs each task, commit and timer, and can kill the process in between. Only the World and the fake kernel
 * survive that.
 */
public final class VolumeManagerFixture implements WorldPort {
    public static final String NODE = "n1";
    public static final NodeLayout LAYOUT = new NodeLayout(Path.of("/var/lib/mooring"));

    public final FakeVolumes kernel = new FakeVolumes();
    public final Deque<Runnable> threads = new ArrayDeque<>();
    public final Deque<Runnable> commits = new ArrayDeque<>();
    final List<String> events = new ArrayList<>();
    final Set<String> running = new HashSet<>();
    WorkLimits limits = new WorkLimits(4, 2, Duration.ofMinutes(2));

    private final NodeExtension.Factory extensions;
    private TestScheduler timers;
    private MultiControllerFixture world;
    private OperationExecutor executor;
    private NodeContext context;

    VolumeManagerFixture(String yaml) {
        this(yaml, NodeExtension.Factory.NONE);
    }

    public VolumeManagerFixture(String yaml, NodeExtension.Factory extensions) {
        this.extensions = extensions;
        begin(WorldFixture.of("""
            {kind: Namespace, metadata: {name: ns}}
            ---
            {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {conditions: [{type: Ready, status: "True"}]}}
            """ + yaml));
    }

    private void begin(World start) {
        timers = new TestScheduler();
        threads.clear();
        commits.clear();
        WorkContext work = new WorkContext(this, new FixtureClock(), timers, this::runLater);
        NodeExtension extension = extensions.create(work);
        PodStateProvider containers = extension.containers(running::contains);
        context = new NodeContext(NODE, LAYOUT, kernel.plugins(), containers, PreUnmountHook.NONE);
        executor = new OperationExecutor(context, OperationObserver.NONE, limits, work);
        Duration passed = world == null ? Duration.ZERO : Duration.between(FIRST, world.now());
        world = new MultiControllerFixture(start, List.of(AttachDetachController::new));
        world.advanceClock(passed);
        recover();
        List<Supplier<? extends Controller>> controllers = new ArrayList<>(List.of(
                AttachDetachController::new,
                () -> new Populator(NODE, context.plugins(), context.containers()),
                () -> new Reconciler(context),
                () -> new VolumesInUse(NODE)));
        controllers.addAll(extension.controllers());
        world = new MultiControllerFixture(
                world.world(),
                controllers,
                effect ->
                        (effect instanceof Reconciler.StartOperation ? executor : extension.effects()).execute(effect));
        world.advanceClock(passed);
        world.observe(this::recordEvent);
    }

    private void runLater(Runnable task) {
        assertThat(world.isReconciling()).as("starts work while it decides").isFalse();
        threads.add(task);
    }

    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    private void recordEvent(World before, Event event) {
        if (event.changes().stream().anyMatch(each -> each.key().resource().equals(StorageNames.ACTUAL_VOLUMES))) {
            events.add(event.type());
        }
    }

    private void recover() {
        for (int i = 0; i < 10; i++) {
            List<Proposal> proposals = new Recovery(context, world.world(), observeMachine(), world.now()).decide();
            if (proposals.isEmpty()) {
                return;
            }
            proposals.forEach(world::commit);
        }
        throw new AssertionError("Recovery does not converge");
    }

    /** Returns the state of the fake kernel, as a scan of the machine does. */
    private ObservedMachine observeMachine() {
        StringBuilder table = new StringBuilder("1 0 8:1 / / rw - ext4 /dev/root rw\n");
        List<ObservedMachine.FoundVolume> found = new ArrayList<>();
        int id = 2;
        for (String path : kernel.mounted.keySet()) {
            table.append(id++).append(" 1 0:9 / ").append(path).append(" rw - nfs4 nas:/x rw\n");
            Path target = Path.of(path);
            found.add(new ObservedMachine.FoundVolume(
                    target.getName(4).toString(),
                    NodeLayout.unescaped(target.getName(6).toString()),
                    target.getFileName().toString(),
                    target));
        }
        for (String device : kernel.ready) {
            table.append(id++)
                    .append(" 1 7:0 / ")
                    .append(FakeVolumes.shared(device))
                    .append(" rw - ext4 /dev/x rw\n");
        }
        Map<String, Path> backing = new HashMap<>();
        kernel.devices.forEach(each -> backing.put("/dev/fake-" + each, Path.of("/base", each + ".img")));
        return new ObservedMachine(MountTable.parse(table.toString()), found, backing);
    }

    /** Kills the process: only the World and the kernel survive. */
    public void crash() {
        begin(world.world());
    }

    /** Reboots the machine: all mounts and devices are lost. */
    public void reboot() {
        kernel.mounted.clear();
        kernel.devices.clear();
        kernel.ready.clear();
        begin(world.world());
    }

    /** Restarts the reconciler; operations continue. */
    public void crashReconciler() {
        world.restart(2);
    }

    /** Runs the next step; returns whether there was one. */
    boolean step() {
        world.settle();
        if (!threads.isEmpty()) {
            threads.poll().run();
            return true;
        }
        if (!commits.isEmpty()) {
            commits.poll().run();
            return true;
        }
        int before = threads.size() + commits.size();
        timers.triggerActions();
        return threads.size() + commits.size() != before;
    }

    /** Runs one of the possible steps, in an order that threads could produce. */
    public void step(Random random) {
        List<Runnable> possible = new ArrayList<>();
        possible.add(() -> world.step(random));
        if (!threads.isEmpty()) {
            possible.add(() -> threads.poll().run());
        }
        if (!commits.isEmpty()) {
            possible.add(() -> commits.poll().run());
        }
        possible.add(timers::triggerActions);
        possible.get(random.nextInt(possible.size())).run();
    }

    /** Runs everything that needs no time. */
    public VolumeManagerFixture settle() {
        for (int i = 0; step(); i++) {
            assertThat(i).as("steps").isLessThan(5000);
        }
        world.settle();
        return this;
    }

    /** Advances the clock, and runs only timers. */
    public void wait(Duration time) {
        world.advanceClock(time);
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    public VolumeManagerFixture pass(Duration time) {
        world.advanceClock(time);
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        return settle();
    }

    public VolumeManagerFixture put(String yaml) {
        WorldFixture.objects(yaml).forEach(world::put);
        return this;
    }

    public VolumeManagerFixture change(String key, Consumer<ObjectNode> change) {
        ObjectNode object = WorldFixture.tree(world.world(), key);
        change.accept(object);
        world.put(object);
        return this;
    }

    public VolumeManagerFixture remove(String key) {
        world.remove(ObjectKey.parse(key));
        return this;
    }

    /** Deletes a Pod whose containers have ended. */
    VolumeManagerFixture deletePod(String name) {
        return remove("pods/ns/" + name);
    }

    public MultiControllerFixture controllers() {
        return world;
    }

    OperationExecutor executor() {
        return executor;
    }

    public List<ActualVolume> actual() {
        List<ActualVolume> found = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource(StorageNames.ACTUAL_VOLUMES))) {
            found.add(ActualVolume.of(each));
        }
        return found;
    }

    ActualVolume one() {
        assertThat(actual()).hasSize(1);
        return actual().get(0);
    }

    /** Returns a line per volume: {@code state of the volume: pod=state …} */
    String states() {
        StringBuilder text = new StringBuilder();
        for (ActualVolume each : actual()) {
            text.append(each.state()).append(':');
            each.mounts()
                    .forEach(mount -> text.append(' ')
                            .append(mount.pod().uid())
                            .append('=')
                            .append(mount.state()));
            text.append('\n');
        }
        return text.toString().strip();
    }

    List<String> events() {
        List<String> result = List.copyOf(events);
        events.clear();
        return result;
    }

    public List<String> recordedEvents() {
        List<String> events = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            ObjectNode event = WorldFixture.tree(world.world(), each.key().text());
            events.add(event.path("type").asText()
                    + ' '
                    + event.path("reason").asText()
                    + ' '
                    + event.path("message").asText());
        }
        return events;
    }

    public void assertNothingIsLeft() {
        assertThat(kernel.mounted).isEmpty();
        assertThat(kernel.ready).isEmpty();
        assertThat(kernel.devices).isEmpty();
        assertThat(actual()).isEmpty();
        assertThat(kernel.violations).isEmpty();
        assertThat(executor.pendingOperations()).isZero();
    }

    @Override
    public World world() {
        return world.world();
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        assertThat(world.isReconciling()).as("proposes while it decides").isFalse();
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        commits.add(() -> outcome.complete(commit(proposal)));
        return outcome;
    }

    private Outcome commit(Proposal proposal) {
        for (Proposal.Expectation each : proposal.expectations()) {
            long found = world().get(each.key()).map(StoredObject::revision).orElse(0L);
            if (found != each.revision()) {
                return new Outcome.Conflict(each.key(), each.revision(), found);
            }
        }
        Event event = WorldFixture.event(world(), proposal);
        assertThat(world.commit(proposal)).isTrue();
        return new Outcome.Committed(event);
    }

    static VolumeException uncertain() {
        return VolumeException.uncertain("TooSlow", "it took too long", "");
    }

    static String pod(String name, String volumes) {
        return """
            ---
            {kind: Pod, metadata: {name: NAME, namespace: ns, uid: NAME},
             spec: {nodeName: n1, containers: [{name: c, volumeMounts: [{name: v, mountPath: /v}]}], volumes: [VOLUMES]}}
            """.replace("NAME", name).replace("VOLUMES", volumes);
    }

    static String nfsPod(String name) {
        return pod(name, "{name: v, nfs: {server: nas, path: /x}}");
    }

    static String claimPod(String name) {
        return pod(name, "{name: v, persistentVolumeClaim: {claimName: data}}");
    }

    /** Returns a claim {@code ns/data} that is bound to a volume {@code pv}. */
    static String claim(String source, String mode) {
        return """
            ---
            {kind: PersistentVolumeClaim, metadata: {name: data, namespace: ns, finalizers: [kubernetes.io/pvc-protection]},
             spec: {volumeName: pv, accessModes: [MODE]}, status: {phase: Bound, capacity: {storage: 1Gi}}}
            ---
            {kind: PersistentVolume, metadata: {name: pv},
             spec: {capacity: {storage: 1Gi}, accessModes: [MODE], SOURCE,
                    claimRef: {namespace: ns, name: data, uid: uid-data}}, status: {phase: Bound}}
            """.replace("SOURCE", source).replace("MODE", mode);
    }

    static String block() {
        return claim(
                "csi: {driver: block.mooring.dev, volumeHandle: pv, volumeAttributes: {image: /base/pv.img}}",
                "ReadWriteOnce");
    }

    static String local() {
        return claim(
                "local: {path: /disk}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key:"
                        + " kubernetes.io/hostname, operator: In, values: [n1]}]}]}}",
                "ReadWriteOnce");
    }

    private final class FixtureClock extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return world == null ? FIRST : world.now();
        }
    }
}
