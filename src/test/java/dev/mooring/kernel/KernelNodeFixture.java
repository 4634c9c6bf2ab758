package dev.mooring.kernel;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A node without fakes: real directories, mounts, child processes and system calls, below a directory in memory. The
 * name of a Pod is its uid. One thread, except that any thread may add to {@link #steps}.
 */
final class KernelNodeFixture implements AutoCloseable {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    final CommandRunner commands = new ChildProcess();
    final NodeLayout layout;
    final Mounter mounter;

    /** Reasons of the progress reports of volume operations. */
    final List<String> steps = Collections.synchronizedList(new ArrayList<>());

    final OperationProgress progress = (reason, message) -> steps.add(reason);

    private KernelNodeFixture(NodeLayout layout) {
        this.layout = layout;
        this.mounter = new LinuxMounter(layout, SystemCalls.real(), commands);
    }

    static KernelNodeFixture at(String name) throws IOException {
        return new KernelNodeFixture(new NodeLayout(Files.createDirectories(Path.of("/mnt/node-" + name))));
    }

    /** Returns the context for a plugin, without objects. */
    PluginContext pluginContext(Duration deadline) {
        return new PluginContext(
                layout, mounter, commands, SystemCalls.real(), key -> Optional.empty(), Clock.systemUTC(), deadline);
    }

    static VolumeSpec nfs(String server, String path, String... options) {
        ObjectNode source = JSON.objectNode();
        source.putObject("nfs").put("server", server).put("path", path);
        return new VolumeSpec("kubernetes.io/nfs/pv", "pv", source, VolumeMode.FILESYSTEM, List.of(options), 0);
    }

    /** Returns a volume with a filesystem in an image file. */
    static VolumeSpec block(Path image, String fsType, long bytes) {
        ObjectNode source = JSON.objectNode();
        ObjectNode csi = source.putObject("csi");
        csi.put("driver", "block.mooring.dev").put("volumeHandle", "handle").put("fsType", fsType);
        csi.putObject("volumeAttributes").put("image", image.toString());
        String identity = "kubernetes.io/csi/block.mooring.dev^handle";
        return new VolumeSpec(identity, "pv", source, VolumeMode.FILESYSTEM, List.of(), bytes);
    }

    Path target(VolumePlugin plugin, String pod) {
        return layout.volume(pod, plugin.name(), "pv");
    }

    SetUpRequest setUp(VolumePlugin plugin, String pod, VolumeSpec volume, Access access) {
        return setUp(plugin, pod, volume, access, Optional.empty());
    }

    SetUpRequest setUp(
            VolumePlugin plugin, String pod, VolumeSpec volume, Access access, Optional<DeviceState> device) {
        PodIdentity identity = new PodIdentity("default", pod, pod);
        return new SetUpRequest(
                volume, identity, target(plugin, pod), access, device, Optional.empty(), JSON.objectNode());
    }

    TearDownRequest tearDown(VolumePlugin plugin, String pod, VolumeSpec volume) {
        String server = volume.source().path("nfs").path("server").asText("");
        return new TearDownRequest(
                volume.uniqueName(), volume.name(), pod, target(plugin, pod), VolumeMode.FILESYSTEM, server);
    }

    /** Returns the mounts below the directory of the node. */
    List<String> mounts() throws IOException {
        return MountTable.read().below(layout.root()).stream()
                .map(each -> each.type() + " " + each.source())
                .toList();
    }

    /** Returns the loop devices with images of the tests. Those of other processes may be visible, too. */
    List<String> loopDevices() {
        return Shell.local()
                .run("losetup -n -O BACK-FILE | grep '^ */mnt/' || true")
                .lines()
                .toList();
    }

    /** Returns the files of Pods and their volumes below the directory of the node. */
    List<String> leftovers() {
        // It fails when the node removes a directory during the search; what is left is printed nevertheless.
        String found = Shell.local()
                .run("find " + layout.root() + " -path '*/pods/*' -o -path '*/mounts/*' 2>/dev/null || true");
        return found.lines().toList();
    }

    /** Polls until nothing is found or a timeout, because operations may still be ending; returns what is left. */
    static List<String> untilEmpty(Supplier<List<String>> found) {
        long deadline = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        List<String> now = found.get();
        while (!now.isEmpty() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            now = found.get();
        }
        return now;
    }

    /** Returns the running child processes. */
    List<String> children() {
        return ProcessHandle.current()
                .children()
                .map(each -> each.info().commandLine().orElse("?"))
                .filter(line -> !line.contains("sleep infinity"))
                .toList();
    }

    /** Removes what a failed test has left. */
    @Override
    public void close() throws IOException {
        List<MountTable.Mount> left = new ArrayList<>(MountTable.read().below(layout.root()));
        Collections.reverse(left);
        for (MountTable.Mount each : left) {
            Shell.local().run("umount -l -i '" + each.point() + "'");
        }
        Shell.local().run("rm -rf --one-file-system '" + layout.root() + "'");
    }
}
