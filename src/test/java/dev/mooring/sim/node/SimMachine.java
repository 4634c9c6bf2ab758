package dev.mooring.sim.node;

import dev.mooring.model.view.Volume;
import dev.mooring.node.reconcile.Machine;
import dev.mooring.node.status.MachineFacts;
import dev.mooring.sim.Findings;
import dev.mooring.sim.Living;
import dev.mooring.sim.node.SimKernel.Mount;
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
 * A machine that is a node: its kernel, its engine and its disk. Processes come and go on it; it tells, in the moment it happens, what must never be done to
 * it. For the thread of the schedule, and coroutines while that waits.
 */
public final class SimMachine {
    private static final String CONTAINER_ROOT = "/sim/";
    private static final long GIB = 1L << 30;

    private final String name;
    private final SimStorage storage;
    private final Random random;
    private final Living life;
    private final SimKernel kernel;
    private final Turns turns;
    private final SimEngine engine;
    private final Map<String, String> handedOut = new TreeMap<>();
    private final Map<String, Long> vanished = new TreeMap<>();
    private Supplier<World> world = () -> World.EMPTY;
    private long looked;
    private int boots;

    /** @param random this machine's own */
    public SimMachine(String name, SimStorage storage, Random random) {
        this.name = name;
        this.storage = storage;
        this.random = random;
        this.life = new Living(storage.schedule(), name);
        this.kernel = new SimKernel(new NodeLayout(Path.of(CONTAINER_ROOT + name)));
        this.turns = new Turns(storage.schedule(), storage.coverage(), random);
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

    Turns turns() {
        return turns;
    }

    Random random() {
        return random;
    }

    /** What runs on it without a process of Mooring's. */
    Living life() {
        return life;
    }

    Findings findings() {
        return storage.findings();
    }

    /** By its own clock. */
    Instant now() {
        return storage.schedule().clock().instant();
    }

    /** The newest there is, or was when the last process died. */
    World world() {
        return world.get();
    }

    /** A process has begun on it; those of the former one are not there any more. */
    void occupiedBy(Supplier<World> newest) {
        world = newest;
        engine.containers().news().disconnect();
    }

    /** The PersistentVolume that it is, if it is one. */
    Optional<Volume> persistentVolume(VolumeSpec spec) {
        return world().get(Volume.key(spec.name()))
                .map(Volume::of)
                .filter(each -> Place.of(name, each.spec()).equals(Place.of(name, spec.source())));
    }

    /** "" if it is none. */
    String volumeUid(VolumeSpec spec) {
        return persistentVolume(spec).map(Volume::uid).orElse("");
    }

    /** "" if there is none of that name. */
    String volumeUid(String volume) {
        return world().get(Volume.key(volume)).map(Volume::of).map(Volume::uid).orElse("");
    }

    /** A path of the machine is handed to containers as it is. */
    void handOut(String target, String path) {
        handedOut.put(target, path);
    }

    String handedOut(String target) {
        return handedOut.getOrDefault(target, target);
    }

    void takeBack(String target) {
        handedOut.remove(target);
    }

    /** Tells if it may not: while a container of the Pod has it. */
    void mayBeTaken(String podUid, String path, String how) {
        engine.containers().live().stream()
                .filter(each -> each.whose().podUid().equals(podUid) && each.has(path))
                .findFirst()
                .ifPresent(each -> findings()
                        .report(
                                "I4",
                                path + " is " + how + " while " + each.facts().name() + " runs with it"));
    }

    /** Something is not mounted any more, whoever did that. */
    void left(Mount gone) {
        boolean more = kernel.all().stream()
                .anyMatch(each ->
                        each.podUid().equals(gone.podUid()) && each.volumeUid().equals(gone.volumeUid()));
        if (!gone.volumeUid().isEmpty() && !more) {
            storage.left(gone.volumeUid(), name, gone.podUid());
        }
    }

    /** Mooring has looked at what is mounted. */
    void lookedAtMounts() {
        looked = storage.schedule().nanos();
    }

    /** Somebody unmounts something by hand. */
    void vanish(Mount mount) {
        kernel.unmount(mount.target()).forEach(this::left);
        vanished.put(mount.target(), storage.schedule().nanos());
    }

    /** Whether that happened after Mooring has looked. */
    boolean hasVanishedUnseen(String target) {
        return vanished.getOrDefault(target, -1L) >= looked;
    }

    /** Who has something of a place, in words. */
    Optional<String> use(Place place) {
        for (Mount each : kernel.all()) {
            if (each.place().equals(place)) {
                return Optional.of("it is mounted at " + each.target() + " on " + name);
            }
        }
        for (SimContainer each : engine.containers().live()) {
            if (each.writable().contains(place)) {
                return Optional.of(each.facts().name() + " on " + name + " has it");
            }
        }
        return Optional.empty();
    }

    /** As the kernel and the disk would tell. */
    Machine look() {
        List<Machine.Found> found = new ArrayList<>();
        List<Machine.Shared> shared = new ArrayList<>();
        Path plugins = kernel.layout().root().resolve("plugins");
        for (String each : kernel.directories()) {
            Path path = Path.of(each);
            if (path.startsWith(kernel.layout().pods())) {
                Path below = kernel.layout().pods().relativize(path);
                if (below.getNameCount() == 4 && below.getName(1).toString().startsWith("volume")) {
                    found.add(new Machine.Found(
                            below.getName(0).toString(),
                            NodeLayout.unescaped(below.getName(2).toString()),
                            below.getName(3).toString(),
                            path));
                }
            } else if (path.startsWith(plugins) && plugins.relativize(path).getNameCount() == 4) {
                Path below = plugins.relativize(path);
                shared.add(new Machine.Shared(
                        below.getName(0) + "/" + below.getName(1),
                        below.getName(3).toString(),
                        path));
            }
        }
        Map<String, Path> backing = new LinkedHashMap<>();
        kernel.loops().forEach((device, image) -> backing.put(device, Path.of(image)));
        return new Machine(kernel.table(), found, shared, backing);
    }

    /** What its Node says of it. */
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
                new MachineFacts.Resources(4, 16 * GIB, 12 * GIB, 100 * GIB, 80 * GIB, 200, 30_000),
                Map.of("hostpath", 80 * GIB, "local", 80 * GIB, "block", 80 * GIB));
    }

    /** It goes down and comes up again. No process of Mooring's may be alive on it. */
    public void reboot() {
        boots++;
        storage.coverage().hit("reboot", kernel.all().isEmpty() ? "nothing mounted" : "mounted");
        turns.forgive();
        engine.restart();
        kernel.reboot();
        storage.leftByAll(name);
    }

    /** What of Pods is still there, in words; nothing when all of them have gone and all is well. */
    public List<String> leftovers() {
        List<String> left = new ArrayList<>(engine.containers().leftovers());
        kernel.all().forEach(each -> left.add("mount " + each.target()));
        kernel.loops().forEach((device, image) -> left.add("device " + device + " of " + image));
        for (String each : kernel.directories()) {
            if (!each.equals(kernel.layout().pods().toString())) {
                left.add("directory " + each);
            }
        }
        if (turns.hanging() > 0) {
            left.add("calls that hang: " + turns.hanging());
        }
        left.replaceAll(each -> name + ": " + each);
        return left;
    }

    /** What is true here must be what the World says: for a moment in which nothing is under way. */
    public void compare(World now) {
        new MachineAudit(this, now).compare();
    }
}
