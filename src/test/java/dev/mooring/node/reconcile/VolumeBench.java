package dev.mooring.node.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.control.Controller;
import dev.mooring.control.ManyControllers;
import dev.mooring.control.Worlds;
import dev.mooring.control.attach.AttachDetach;
import dev.mooring.model.Event;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.StorageNames;
import dev.mooring.node.WorldPort;
import dev.mooring.node.desired.Containers;
import dev.mooring.node.desired.Populator;
import dev.mooring.node.status.VolumesInUse;
import dev.mooring.node.work.WorkLimits;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.path.MountTable;
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
 * A node's populator, reconciler and executor, and the controller that attaches, in virtual time and without threads: each task of a thread,
 * each commit and each timer happens when the test lets it, and the process can be killed in between. Only the World and the fake kernel
 * survive that.
 */
public final class VolumeBench implements WorldPort {
    public static final String NODE = "n1";
    public static final NodeLayout LAYOUT = new NodeLayout(Path.of("/var/lib/mooring"));

    public final FakeVolumes kernel = new FakeVolumes();
    public final Deque<Runnable> threads = new ArrayDeque<>();
    public final Deque<Runnable> commits = new ArrayDeque<>();
    final List<String> events = new ArrayList<>();
    final Set<String> running = new HashSet<>();
    WorkLimits limits = new WorkLimits(4, 2, Duration.ofMinutes(2));

    private final NodeGuest.Maker beside;
    private TestScheduler timers;
    private ManyControllers world;
    private OperationExecutor executor;
    private NodeParts parts;

    VolumeBench(String yaml) {
        this(yaml, NodeGuest.Maker.NONE);
    }

    public VolumeBench(String yaml, NodeGuest.Maker beside) {
        this.beside = beside;
        begin(Worlds.of("""
            {kind: Namespace, metadata: {name: ns}}
            ---
            {kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1}}, status: {conditions: [{type: Ready, status: "True"}]}}
            """ + yaml));
    }

    private void begin(World start) {
        timers = new TestScheduler();
        threads.clear();
        commits.clear();
        WorkParts work = new WorkParts(this, new BenchClock(), timers, threads::add);
        NodeGuest guest = beside.begin(work);
        Containers containers = guest.containers(running::contains);
        parts = new NodeParts(NODE, LAYOUT, kernel.plugins(), containers, BeforeUnmount.NOTHING);
        executor = new OperationExecutor(parts, OperationObserver.NONE, limits, work);
        Duration passed = world == null ? Duration.ZERO : Duration.between(FIRST, world.now());
        world = new ManyControllers(start, List.of(AttachDetach::new));
        world.wait(passed);
        recover();
        List<Supplier<? extends Controller>> controllers = new ArrayList<>(List.of(
                AttachDetach::new,
                () -> new Populator(NODE, parts.plugins(), parts.containers()),
                () -> new Reconciler(parts, executor),
                () -> new VolumesInUse(NODE)));
        controllers.addAll(guest.controllers());
        world = new ManyControllers(world.world(), controllers);
        world.wait(passed);
        world.witness(this::witness);
    }

    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

    private void witness(World before, Event event) {
        if (event.changes().stream().anyMatch(each -> each.key().resource().equals(StorageNames.ACTUAL_VOLUMES))) {
            events.add(event.type());
        }
    }

    private void recover() {
        for (int i = 0; i < 10; i++) {
            List<Proposal> proposals = new Recovery(parts, world.world(), look(), world.now()).decide();
            if (proposals.isEmpty()) {
                return;
            }
            proposals.forEach(world::happen);
        }
        throw new AssertionError("Recovery goes in circles");
    }

    /** As the kernel and the disk would tell. */
    private Machine look() {
        StringBuilder table = new StringBuilder("1 0 8:1 / / rw - ext4 /dev/root rw\n");
        List<Machine.Found> found = new ArrayList<>();
        int id = 2;
        for (String path : kernel.mounted.keySet()) {
            table.append(id++).append(" 1 0:9 / ").append(path).append(" rw - nfs4 nas:/x rw\n");
            Path where = Path.of(path);
            found.add(new Machine.Found(
                    where.getName(4).toString(),
                    NodeLayout.unescaped(where.getName(6).toString()),
                    where.getFileName().toString(),
                    where));
        }
        for (String device : kernel.ready) {
            table.append(id++)
                    .append(" 1 7:0 / ")
                    .append(FakeVolumes.shared(device))
                    .append(" rw - ext4 /dev/x rw\n");
        }
        Map<String, Path> backing = new HashMap<>();
        kernel.devices.forEach(each -> backing.put("/dev/fake-" + each, Path.of("/base", each + ".img")));
        return new Machine(MountTable.parse(table.toString()), found, backing);
    }

    /** Kills the process: all but the World and the kernel is gone. */
    public void crash() {
        begin(world.world());
    }

    /** Takes the machine down and up again: what was mounted is not any more. */
    public void reboot() {
        kernel.mounted.clear();
        kernel.devices.clear();
        kernel.ready.clear();
        begin(world.world());
    }

    /** Kills the verticle that looks; what does the work goes on. */
    public void crashReconciler() {
        world.restart(2);
    }

    /** Lets one thing happen, whatever is next; whether there was anything. */
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

    /** Lets one thing happen of all that could, in any order threads could bring about. */
    public void step(Random chance) {
        List<Runnable> possible = new ArrayList<>();
        possible.add(() -> world.step(chance));
        if (!threads.isEmpty()) {
            possible.add(() -> threads.poll().run());
        }
        if (!commits.isEmpty()) {
            possible.add(() -> commits.poll().run());
        }
        possible.add(timers::triggerActions);
        possible.get(chance.nextInt(possible.size())).run();
    }

    /** Lets everything happen that needs no time. */
    public VolumeBench settle() {
        for (int i = 0; step(); i++) {
            assertThat(i).as("steps").isLessThan(5000);
        }
        world.settle();
        return this;
    }

    /** Lets time pass, and nothing else. */
    public void wait(Duration time) {
        world.wait(time);
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
    }

    public VolumeBench pass(Duration time) {
        world.wait(time);
        timers.advanceTimeBy(time.toMillis(), TimeUnit.MILLISECONDS);
        return settle();
    }

    public VolumeBench put(String yaml) {
        Worlds.objects(yaml).forEach(world::put);
        return this;
    }

    public VolumeBench change(String key, Consumer<ObjectNode> change) {
        ObjectNode object = Worlds.tree(world.world(), key);
        change.accept(object);
        world.put(object);
        return this;
    }

    public VolumeBench remove(String key) {
        world.remove(ObjectKey.parse(key));
        return this;
    }

    /** The Pod is deleted, and nothing of it runs any more. */
    VolumeBench deletePod(String name) {
        return remove("pods/ns/" + name);
    }

    public ManyControllers controllers() {
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

    /** {@code state of the volume: pod=state …} */
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
        List<String> since = List.copyOf(events);
        events.clear();
        return since;
    }

    public List<String> told() {
        List<String> told = new ArrayList<>();
        for (StoredObject each : world.world().list(Scope.resource("events"))) {
            ObjectNode event = Worlds.tree(world.world(), each.key().text());
            told.add(event.path("type").asText()
                    + ' '
                    + event.path("reason").asText()
                    + ' '
                    + event.path("message").asText());
        }
        return told;
    }

    public void nothingIsLeft() {
        assertThat(kernel.mounted).isEmpty();
        assertThat(kernel.ready).isEmpty();
        assertThat(kernel.devices).isEmpty();
        assertThat(actual()).isEmpty();
        assertThat(kernel.faults).isEmpty();
        assertThat(executor.underWay()).isZero();
    }

    @Override
    public World world() {
        return world.world();
    }

    @Override
    public CompletionStage<Outcome> propose(Proposal proposal) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        commits.add(() -> answer.complete(commit(proposal)));
        return answer;
    }

    private Outcome commit(Proposal proposal) {
        for (Proposal.Expectation each : proposal.expectations()) {
            long found = world().get(each.key()).map(StoredObject::revision).orElse(0L);
            if (found != each.revision()) {
                return new Outcome.Conflict(each.key(), each.revision(), found);
            }
        }
        Event event = Worlds.event(world(), proposal);
        assertThat(world.happen(proposal)).isTrue();
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

    /** A claim {@code ns/data} bound to a volume {@code pv}. */
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

    private final class BenchClock extends Clock {
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
