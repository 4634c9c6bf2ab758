package dev.mooring.sim.node;

import dev.mooring.model.view.Volume;
import dev.mooring.node.status.MachineFacts;
import dev.mooring.node.volumemanager.ObservedMachine;
import dev.mooring.sim.InvariantViolations;
import dev.mooring.sim.SimTaskGroup;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A simulated machine: its kernel, engine and disk. Processes of Mooring start and die on it; it reports violations
 * when they occur. For the scheduler's thread, and coroutines while that thread waits.
 */
public final class SimMachine {
    private static final String CONTAINER_ROOT = "/sim/";
    private static final long GIB = 1L << 30;

    private final String name;
    private final SimStorage storage;
    private final Random random;
    private final SimTaskGroup taskGroup;
    private final SimKernel kernel;
    private final SimCallFaults callFaults;
    private final SimEngine engine;
    private final Map<String, String> exposedHostPaths = new TreeMap<>();
    private final Map<String, Long> vanished = new TreeMap<>();
    private Supplier<World> world = () -> World.EMPTY;
    private long lastMountCheck;
    private int boots;

    /** @param random for this machine only */
    public SimMachine(String name, SimStorage storage, Random random) {
        this.name = name;
        this.storage = storage;
        this.random = random;
        this.taskGroup = new SimTaskGroup(storage.scheduler(), name);
        this.kernel = new SimKernel(new NodeLayout(Path.of(CONTAINER_ROOT + name)));
        this.callFaults = new SimCallFaults(storage.scheduler(), storage.coverage(), random);
        this.engine = new SimEngine(this, new SimContainers(this));
        storage.add(this);
    }

    public String name() {
        return name;
    }

    public SimEngine engine() {
        return engine;
    }

    SimStorage storage() {
        return storage;
    }

    SimKernel kernel() {
        return kernel;
    }

    SimCallFaults callFaults() {
        return callFaults;
    }

    Random random() {
        return random;
    }

    /** Tasks that run on the machine independently of Mooring's processes. */
    SimTaskGroup taskGroup() {
        return taskGroup;
    }

    InvariantViolations violations() {
        return storage.violations();
    }

    /** Returns the time of the machine's clock. */
    Instant now() {
        return storage.scheduler().clock().instant();
    }

    /** Returns the newest World, or the last one of the previous process. */
    World world() {
        return world.get();
    }

    /** Records that a new process runs on the machine, and drops event streams of the previous one. */
    void processStarted(Supplier<World> newest) {
        world = newest;
        engine.containers().events().disconnect();
    }

    /** Returns the PersistentVolume of a volume, if it is one. */
    Optional<Volume> persistentVolume(VolumeSpec spec) {
        return world().get(Volume.key(spec.name()))
                .map(Volume::of)
                .filter(each -> DataLocation.of(name, each.spec()).equals(DataLocation.of(name, spec.source())));
    }

    /** Returns the uid of the PersistentVolume; "" if the volume is none. */
    String volumeUid(VolumeSpec spec) {
        return persistentVolume(spec).map(Volume::uid).orElse("");
    }

    /** Returns the uid of the PersistentVolume of that name; "" if there is none. */
    String volumeUid(String volume) {
        return world().get(Volume.key(volume)).map(Volume::of).map(Volume::uid).orElse("");
    }

    /** Records that a path of the machine is passed to containers unchanged. */
    void exposeHostPath(String target, String path) {
        exposedHostPaths.put(target, path);
    }

    String exposedHostPath(String target) {
        return exposedHostPaths.getOrDefault(target, target);
    }

    void withdrawHostPath(String target) {
        exposedHostPaths.remove(target);
    }

    /** Reports a violation if a container of the Pod uses the path. */
    void checkNotInUse(String podUid, String path, String operation) {
        engine.containers().live().stream()
                .filter(each -> each.owner().podUid().equals(podUid) && each.has(path))
                .findFirst()
                .ifPresent(each -> violations()
                        .report(
                                "I4",
                                path + " is " + operation + " while "
                                        + each.facts().name() + " runs with it"));
    }

    /** Records that a mount was removed. */
    void recordUnmount(SimMount removed) {
        boolean stillMounted = kernel.all().stream()
                .anyMatch(each -> each.podUid().equals(removed.podUid())
                        && each.volumeUid().equals(removed.volumeUid()));
        if (!removed.volumeUid().isEmpty() && !stillMounted) {
            storage.released(removed.volumeUid(), name, removed.podUid());
        }
    }

    /** Records that Mooring has read the mount table. */
    void recordMountCheck() {
        lastMountCheck = storage.scheduler().nanos();
    }

    /** Unmounts a volume externally. */
    void vanish(SimMount mount) {
        kernel.unmount(mount.target()).forEach(this::recordUnmount);
        vanished.put(mount.target(), storage.scheduler().nanos());
    }

    /** Returns whether the target was unmounted externally after Mooring last read the mount table. */
    boolean hasVanishedSinceMountCheck(String target) {
        return vanished.getOrDefault(target, -1L) >= lastMountCheck;
    }

    /** Describes a user of a location. */
    Optional<String> userOf(DataLocation location) {
        for (SimMount each : kernel.all()) {
            if (each.dataLocation().equals(location)) {
                return Optional.of("it is mounted at " + each.target() + " on " + name);
            }
        }
        for (SimContainer each : engine.containers().live()) {
            if (each.writable().contains(location)) {
                return Optional.of(each.facts().name() + " on " + name + " has it");
            }
        }
        return Optional.empty();
    }

    /** Returns the observed state of the machine for startup recovery. */
    ObservedMachine inspect() {
        List<ObservedMachine.FoundVolume> found = new ArrayList<>();
        List<ObservedMachine.FoundGlobalMount> shared = new ArrayList<>();
        Path plugins = kernel.layout().root().resolve("plugins");
        for (String each : kernel.directories()) {
            Path path = Path.of(each);
            if (path.startsWith(kernel.layout().pods())) {
                Path below = kernel.layout().pods().relativize(path);
                if (below.getNameCount() == 4 && below.getName(1).toString().startsWith("volume")) {
                    found.add(new ObservedMachine.FoundVolume(
                            below.getName(0).toString(),
                            NodeLayout.unescaped(below.getName(2).toString()),
                            below.getName(3).toString(),
                            path));
                }
            } else if (path.startsWith(plugins) && plugins.relativize(path).getNameCount() == 4) {
                Path below = plugins.relativize(path);
                shared.add(new ObservedMachine.FoundGlobalMount(
                        below.getName(0) + "/" + below.getName(1),
                        below.getName(3).toString(),
                        path));
            }
        }
        Map<String, Path> backing = new LinkedHashMap<>();
        kernel.loops().forEach((device, image) -> backing.put(device, Path.of(image)));
        return new ObservedMachine(kernel.table(), found, shared, backing);
    }

    /** Returns the facts for the machine's Node object. */
    MachineFacts facts() {
        return new MachineFacts(
                new MachineFacts.Identity(
                        name,
                        Optional.of("10.1.0.1"),
                        "6.1",
                        "Sim",
                        "amd64",
                        "m-" + name,
                        "boot-" + boots,
                        "u-" + name),
                new MachineFacts.MachineResources(4, 16 * GIB, 12 * GIB, 100 * GIB, 80 * GIB, 200, 30_000),
                Map.of(
                        "hostpath", Path.of(SimWorker.BASE + "hostpath"),
                        "local", Path.of(SimWorker.BASE + "local"),
                        "block", Path.of(SimWorker.BASE + "block")),
                Map.of("hostpath", 80 * GIB, "local", 80 * GIB, "block", 80 * GIB));
    }

    /** Reboots the machine. No process of Mooring may run on it. */
    public void reboot() {
        boots++;
        storage.coverage().hit("reboot", kernel.all().isEmpty() ? "nothing mounted" : "mounted");
        callFaults.clearFaults();
        engine.restart();
        kernel.reboot();
        storage.releasedByAll(name);
    }

    /** Describes resources of Pods that still exist; empty after a complete cleanup. */
    public List<String> leftovers() {
        List<String> left = new ArrayList<>(engine.containers().leftovers());
        kernel.all().forEach(each -> left.add("mount " + each.target()));
        kernel.loops().forEach((device, image) -> left.add("device " + device + " of " + image));
        for (String each : kernel.directories()) {
            if (!each.equals(kernel.layout().pods().toString())) {
                left.add("directory " + each);
            }
        }
        if (callFaults.hanging() > 0) {
            left.add("hanging calls: " + callFaults.hanging());
        }
        left.replaceAll(each -> name + ": " + each);
        return left;
    }

    /** Compares the machine with the World, when no operation is in progress. */
    public void compare(World now) {
        new MachineAudit(this, now).compare();
    }
}
