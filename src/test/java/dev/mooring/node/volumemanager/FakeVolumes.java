package dev.mooring.node.volumemanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.ObjectLookup;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePlugins;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
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
 * A kernel in memory with three kinds of volumes: {@code nfs} (one mount per Pod), {@code local} (shared, never
 * attached) and {@code csi} (attached by the node). It records calls and violations, and survives restarts of the
 * node's process.
 */
public final class FakeVolumes {
    /** Behavior of a call instead of success. */
    public interface Behavior {
        void run() throws VolumeException;
    }

    /** Thrown when the process is killed during a call. */
    static final class ProcessKilled extends Error {
        private static final long serialVersionUID = 1L;
    }

    /** Mounts: names of Pods by path. */
    public final Map<String, String> mounted = new TreeMap<>();

    final Map<String, Boolean> readOnly = new HashMap<>();
    final Set<String> devices = new TreeSet<>();
    final Set<String> ready = new TreeSet<>();
    final Map<String, Long> sizes = new HashMap<>();
    boolean growsOnlyUnused;
    final List<String> done = new ArrayList<>();
    public final List<String> violations = new ArrayList<>();
    /** Returns whether a process uses a path. */
    public Predicate<String> used = path -> false;

    private final Map<String, Deque<Behavior>> behaviors = new HashMap<>();

    public VolumePlugins plugins() {
        return new VolumePlugins(List.of(new Plain(), new HostPath(), new Shared("local"), new Shared("csi")));
    }

    /** Sets the behavior of the next call of that name. */
    public FakeVolumes next(String call, Behavior behavior) {
        behaviors.computeIfAbsent(call, unused -> new ArrayDeque<>()).add(behavior);
        return this;
    }

    public FakeVolumes fails(String call, FailureState left) {
        return next(call, () -> {
            throw new VolumeException(left, "Broken", "meant to fail", "raw output");
        });
    }

    /** Removes all behaviors that were set. */
    public void clearFailures() {
        behaviors.clear();
    }

    List<String> done() {
        List<String> result = List.copyOf(done);
        done.clear();
        return result;
    }

    private void call(String name, String subject) throws VolumeException {
        done.add(name + ' ' + subject);
        Behavior behavior =
                Optional.ofNullable(behaviors.get(name)).map(Deque::poll).orElse(null);
        if (behavior != null) {
            behavior.run();
        }
    }

    /** Performs a call; a failure {@code afterwards} is thrown after the call took effect. */
    private void effect(String name, String subject, Runnable effect) throws VolumeException {
        boolean failsAfterwards = Optional.ofNullable(behaviors.get(name + " afterwards"))
                .filter(queue -> !queue.isEmpty())
                .isPresent();
        call(name, subject);
        effect.run();
        if (failsAfterwards) {
            behaviors.get(name + " afterwards").poll().run();
        }
    }

    private void mount(SetUpRequest request) {
        String pod = request.pod().name();
        mounted.put(request.target().toString(), pod);
        readOnly.put(request.target().toString(), request.access() == Access.READ_ONLY);
    }

    private void unmount(TearDownRequest request) {
        if (used.test(request.target().toString())) {
            violations.add(request.target() + " was unmounted while a running container uses it");
        }
        mounted.remove(request.target().toString());
    }

    /** Returns the global mount path of a volume. */
    static Path shared(String name) {
        return VolumeManagerFixture.LAYOUT.globalMount("kubernetes.io/fake", name);
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
        public WorkerPoolKey workerPool(VolumeSpec volume) {
            return WorkerPoolKey.server(
                    volume.source().path("nfs").path("server").asText(""));
        }

        @Override
        public Optional<String> mountOptionsError(List<String> mountOptions) {
            return Optional.empty();
        }

        @Override
        public String contentVersion(JsonNode source, ObjectNode pod, ObjectLookup objects) {
            return pod.path("metadata").path("labels").path("content").asText("");
        }

        @Override
        public SetUpResult setUp(SetUpRequest request, OperationProgress progress) throws VolumeException {
            effect("setUp", request.pod().name() + '/' + request.volume().name(), () -> mount(request));
            return new SetUpResult(request.target(), "nas:/x", List.of("rw", "vers=4.2"), List.of());
        }

        @Override
        public void tearDown(TearDownRequest request, OperationProgress progress) throws VolumeException {
            effect("tearDown", request.podUid() + '/' + request.name(), () -> unmount(request));
        }
    }

    /** Path that the hostPath plugin returns instead of the target, as an earlier version did. */
    Optional<Path> returnedPath = Optional.empty();

    private final class HostPath implements VolumePlugin {
        @Override
        public String name() {
            return "kubernetes.io/host-path";
        }

        @Override
        public boolean supports(JsonNode source) {
            return source.has("hostPath");
        }

        @Override
        public SetUpResult setUp(SetUpRequest request, OperationProgress progress) throws VolumeException {
            effect("setUp", request.pod().name() + '/' + request.volume().name(), () -> {
                if (returnedPath.isEmpty()) {
                    mount(request);
                }
            });
            return SetUpResult.at(returnedPath.orElse(request.target()));
        }

        @Override
        public void tearDown(TearDownRequest request, OperationProgress progress) throws VolumeException {
            effect("tearDown", request.podUid() + '/' + request.name(), () -> unmount(request));
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
        public AttachMode attachMode() {
            return field.equals("csi") ? AttachMode.BY_THIS_NODE : AttachMode.NEVER;
        }

        @Override
        public String attach(VolumeSpec volume, OperationProgress progress) throws VolumeException {
            effect("attach", volume.name(), () -> devices.add(volume.name()));
            return "/dev/fake-" + volume.name();
        }

        @Override
        public void detach(VolumeSpec volume, OperationProgress progress) throws VolumeException {
            if (ready.contains(volume.name())) {
                violations.add("detached while mounted: " + volume.name());
            }
            effect("detach", volume.name(), () -> devices.remove(volume.name()));
        }

        @Override
        public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
                throws VolumeException {
            if (field.equals("csi") && !devices.contains(volume.name())) {
                violations.add("mounted a device that is not attached: " + volume.name());
            }
            effect("mountDevice", volume.name(), () -> {
                ready.add(volume.name());
                sizes.put(volume.name(), volume.bytes());
            });
            return new DeviceState(devicePath, Optional.of(shared(volume.name())));
        }

        @Override
        public void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
                throws VolumeException {
            if (mounted.keySet().stream().anyMatch(path -> path.endsWith("/" + volume.name()))) {
                violations.add("device unmounted while a Pod uses it: " + volume.name());
            }
            effect("unmountDevice", volume.name(), () -> ready.remove(volume.name()));
        }

        @Override
        public Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
                throws VolumeException {
            if (growsOnlyUnused) {
                call("expand", volume.name());
                return Optional.empty();
            }
            effect("expand", volume.name(), () -> sizes.put(volume.name(), volume.bytes()));
            return Optional.of(volume.bytes());
        }

        @Override
        public SetUpResult setUp(SetUpRequest request, OperationProgress progress) throws VolumeException {
            if (!ready.contains(request.volume().name())) {
                violations.add("set up for a Pod before it was ready: "
                        + request.volume().name());
            }
            effect("setUp", request.pod().name() + '/' + request.volume().name(), () -> mount(request));
            return SetUpResult.at(request.target());
        }

        @Override
        public void tearDown(TearDownRequest request, OperationProgress progress) throws VolumeException {
            effect("tearDown", request.podUid() + '/' + request.name(), () -> unmount(request));
        }
    }
}
