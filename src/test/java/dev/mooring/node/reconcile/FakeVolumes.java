package dev.mooring.node.reconcile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * A kernel in memory with three kinds of volumes: {@code nfs} (each Pod its own mount), {@code local} (shared, never attached) and {@code csi}
 * (attached by the node). It writes down what is done to it, survives processes, and finds what must never happen.
 */
public final class FakeVolumes {
    /** What a call does instead of succeeding. */
    public interface Turn {
        void take() throws VolumeException;
    }

    /** The process is gone before the call came back. */
    static final class Killed extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Where what is mounted: the path, and by whom. */
    public final Map<String, String> mounted = new TreeMap<>();

    final Map<String, Boolean> readOnly = new HashMap<>();
    final Set<String> devices = new TreeSet<>();
    final Set<String> ready = new TreeSet<>();
    final Map<String, Long> sizes = new HashMap<>();
    boolean growsOnlyUnused;
    final List<String> done = new ArrayList<>();
    public final List<String> faults = new ArrayList<>();
    /** Whether a process has something of a path. */
    public Predicate<String> used = path -> false;

    private final Map<String, Deque<Turn>> turns = new HashMap<>();

    VolumePlugins plugins() {
        return new VolumePlugins(List.of(new Plain(), new Shared("local"), new Shared("csi")));
    }

    /** The next call of that name. */
    public FakeVolumes next(String call, Turn turn) {
        turns.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(turn);
        return this;
    }

    public FakeVolumes fails(String call, Left left) {
        return next(call, () -> {
            throw new VolumeException(left, "Broken", "meant to fail", "raw words");
        });
    }

    /** No more faults. */
    public void forgive() {
        turns.clear();
    }

    List<String> done() {
        List<String> since = List.copyOf(done);
        done.clear();
        return since;
    }

    private void call(String name, String what) throws VolumeException {
        done.add(name + ' ' + what);
        Turn turn = Optional.ofNullable(turns.get(name)).map(Deque::poll).orElse(null);
        if (turn != null) {
            turn.take();
        }
    }

    /** What happens although the caller never hears of it. */
    private void effect(String name, String what, Runnable effect) throws VolumeException {
        boolean late = Optional.ofNullable(turns.get(name + " afterwards"))
                .filter(queue -> !queue.isEmpty())
                .isPresent();
        call(name, what);
        effect.run();
        if (late) {
            turns.get(name + " afterwards").poll().take();
        }
    }

    private void mount(SetUp what) {
        String pod = what.pod().name();
        mounted.put(what.target().toString(), pod);
        readOnly.put(what.target().toString(), what.access() == Access.READ_ONLY);
    }

    private void unmount(TearDown what) {
        if (used.test(what.target().toString())) {
            faults.add(what.target() + " is unmounted under a container that runs");
        }
        mounted.remove(what.target().toString());
    }

    /** Where it is mounted once for all Pods. */
    static Path shared(String name) {
        return VolumeBench.LAYOUT.shared("kubernetes.io/fake", name);
    }

    private final class Plain implements VolumePlugin {
        @Override
        public String name() {
            return "kubernetes.io/nfs";
        }

        @Override
        public boolean supports(JsonNode source) {
            return source.has("nfs") || source.has("configMap");
        }

        @Override
        public Lane lane(VolumeSpec volume) {
            return Lane.nfs(volume.source().path("nfs").path("server").asText(""));
        }

        @Override
        public Optional<String> refusal(List<String> mountOptions) {
            return Optional.empty();
        }

        @Override
        public String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
            return pod.path("metadata").path("labels").path("content").asText("");
        }

        @Override
        public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException {
            effect("setUp", what.pod().name() + '/' + what.volume().name(), () -> mount(what));
            return new SetUpDone(what.target(), "nas:/x", List.of("rw", "vers=4.2"), List.of());
        }

        @Override
        public void tearDown(TearDown what, Progress progress) throws VolumeException {
            effect("tearDown", what.podUid() + '/' + what.name(), () -> unmount(what));
        }
    }

    private final class Shared implements DevicePlugin {
        private final String field;

        Shared(String field) {
            this.field = field;
        }

        @Override
        public String name() {
            return field.equals("csi") ? "kubernetes.io/csi" : "kubernetes.io/local-volume";
        }

        @Override
        public boolean supports(JsonNode source) {
            return source.has(field);
        }

        @Override
        public Optional<String> sharedIdentity(String name, JsonNode source) {
            return Optional.of(field.equals("csi") ? "block.mooring.dev^" + name : name);
        }

        @Override
        public Attaching attaching() {
            return field.equals("csi") ? Attaching.BY_THIS_NODE : Attaching.NEVER;
        }

        @Override
        public String attach(VolumeSpec volume, Progress progress) throws VolumeException {
            effect("attach", volume.name(), () -> devices.add(volume.name()));
            return "/dev/fake-" + volume.name();
        }

        @Override
        public void detach(VolumeSpec volume, Progress progress) throws VolumeException {
            if (ready.contains(volume.name())) {
                faults.add("detached while mounted: " + volume.name());
            }
            effect("detach", volume.name(), () -> devices.remove(volume.name()));
        }

        @Override
        public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, Progress progress)
                throws VolumeException {
            if (field.equals("csi") && !devices.contains(volume.name())) {
                faults.add("mounted a device that is not attached: " + volume.name());
            }
            effect("mountDevice", volume.name(), () -> {
                ready.add(volume.name());
                sizes.put(volume.name(), volume.bytes());
            });
            return new DeviceState(devicePath, Optional.of(shared(volume.name())));
        }

        @Override
        public void unmountDevice(VolumeSpec volume, DeviceState state, Progress progress) throws VolumeException {
            if (mounted.keySet().stream().anyMatch(path -> path.endsWith("/" + volume.name()))) {
                faults.add("device unmounted while a Pod has it: " + volume.name());
            }
            effect("unmountDevice", volume.name(), () -> ready.remove(volume.name()));
        }

        @Override
        public Optional<Long> expand(VolumeSpec volume, DeviceState state, Progress progress) throws VolumeException {
            if (growsOnlyUnused) {
                call("expand", volume.name());
                return Optional.empty();
            }
            effect("expand", volume.name(), () -> sizes.put(volume.name(), volume.bytes()));
            return Optional.of(volume.bytes());
        }

        @Override
        public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException {
            if (!ready.contains(what.volume().name())) {
                faults.add(
                        "set up for a Pod before it was ready: " + what.volume().name());
            }
            effect("setUp", what.pod().name() + '/' + what.volume().name(), () -> mount(what));
            return SetUpDone.at(what.target());
        }

        @Override
        public void tearDown(TearDown what, Progress progress) throws VolumeException {
            effect("tearDown", what.podUid() + '/' + what.name(), () -> unmount(what));
        }
    }
}
