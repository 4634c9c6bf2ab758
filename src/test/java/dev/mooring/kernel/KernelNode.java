package dev.mooring.kernel;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.path.MountTable;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandRunner;
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
 * A node with nothing of it played: real directories, mounts, children and system calls, below a directory in memory. Pods are named by
 * their uid. One thread, except that {@link #steps} may be added to by any.
 */
final class KernelNode implements AutoCloseable {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    final CommandRunner commands = new ChildProcess();
    final NodeLayout layout;
    final Mounter mounter;

    /** The reasons of what was told while volumes came and went. */
    final List<String> steps = Collections.synchronizedList(new ArrayList<>());

    final Progress progress = (reason, message) -> steps.add(reason);

    private KernelNode(NodeLayout layout) {
        this.layout = layout;
        this.mounter = new LinuxMounter(layout, SystemCalls.real(), commands);
    }

    static KernelNode at(String name) throws IOException {
        return new KernelNode(new NodeLayout(Files.createDirectories(Path.of("/mnt/node-" + name))));
    }

    /** What a plugin is connected to; no objects are there. */
    PluginParts parts(Duration deadline) {
        return new PluginParts(
                layout, mounter, commands, SystemCalls.real(), key -> Optional.empty(), Clock.systemUTC(), deadline);
    }

    static VolumeSpec nfs(String server, String path, String... options) {
        ObjectNode source = JSON.objectNode();
        source.putObject("nfs").put("server", server).put("path", path);
        return new VolumeSpec("kubernetes.io/nfs/pv", "pv", source, VolumeMode.FILESYSTEM, List.of(options), 0);
    }

    /** A file system of such a type in an image file. */
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

    SetUp setUp(VolumePlugin plugin, String pod, VolumeSpec volume, Access access) {
        return setUp(plugin, pod, volume, access, Optional.empty());
    }

    SetUp setUp(VolumePlugin plugin, String pod, VolumeSpec volume, Access access, Optional<DeviceState> device) {
        PodIdentity identity = new PodIdentity("default", pod, pod);
        return new SetUp(volume, identity, target(plugin, pod), access, device, Optional.empty(), JSON.objectNode());
    }

    TearDown tearDown(VolumePlugin plugin, String pod, VolumeSpec volume) {
        String server = volume.source().path("nfs").path("server").asText("");
        return new TearDown(volume.volume(), volume.name(), pod, target(plugin, pod), VolumeMode.FILESYSTEM, server);
    }

    /** What is mounted below the node's directory. */
    List<String> mounts() throws IOException {
        return MountTable.read().below(layout.root()).stream()
                .map(each -> each.type() + " " + each.source())
                .toList();
    }

    /** What is left of Pods and their volumes below the node's directory; only what was made for all Pods may stay. */
    List<String> leftovers() {
        String found = Shell.here().run("find " + layout.root() + " -path '*/pods/*' -o -path '*/mounts/*'");
        return found.lines().toList();
    }

    /** Asks until nothing is found, but not for ever: who had the last word may still be on its way out. */
    static List<String> atLast(Supplier<List<String>> found) {
        long patience = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        List<String> now = found.get();
        while (!now.isEmpty() && System.nanoTime() < patience) {
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            now = found.get();
        }
        return now;
    }

    /** Programs that this process has started and that have not ended. */
    List<String> children() {
        return ProcessHandle.current()
                .children()
                .map(each -> each.info().commandLine().orElse("?"))
                .filter(line -> !line.contains("sleep infinity"))
                .toList();
    }

    /** Whatever a failed test has left. */
    @Override
    public void close() throws IOException {
        List<MountTable.Mount> left = new ArrayList<>(MountTable.read().below(layout.root()));
        Collections.reverse(left);
        for (MountTable.Mount each : left) {
            Shell.here().run("umount -l -i '" + each.point() + "'");
        }
        Shell.here().run("rm -rf --one-file-system '" + layout.root() + "'");
    }
}
