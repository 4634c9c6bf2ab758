package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.Ownership;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.LinuxMounter;
import dev.mooring.volume.path.SystemCalls;
import dev.mooring.volume.process.ChildProcess;
import dev.mooring.volume.process.CommandRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A node with a block plugin on the real machine, and volumes for it. */
final class BlockBench implements AutoCloseable {
    static final String POD = "0123abcd-1947-4000-8000-00000000000a";
    static final String OTHER_POD = "9876fedc-1947-4000-8000-00000000000b";

    final LoopBench machine;
    final NodeLayout layout;
    final BlockPlugin plugin;
    final List<String> steps = new ArrayList<>();
    final Progress progress = (reason, message) -> steps.add(reason + ": " + message);

    BlockBench(Path temp) throws IOException {
        machine = new LoopBench(temp);
        layout = new NodeLayout(Files.createDirectories(machine.root.resolve("node")));
        plugin = plugin(new ChildProcess(), SystemCalls.real());
    }

    BlockPlugin plugin(CommandRunner runner, SystemCalls calls) {
        return new BlockPlugin(new PluginParts(
                layout,
                new LinuxMounter(layout, calls, runner),
                runner,
                calls,
                key -> Optional.empty(),
                Clock.systemUTC(),
                Duration.ofSeconds(60)));
    }

    static VolumeSpec volume(Path image, String fsType, String... options) {
        return volume(VolumeMode.FILESYSTEM, image, fsType, options);
    }

    static VolumeSpec device(Path image) {
        return volume(VolumeMode.BLOCK, image, "");
    }

    private static VolumeSpec volume(VolumeMode mode, Path image, String fsType, String... options) {
        return new VolumeSpec(
                "kubernetes.io/csi/block.mooring.dev^h",
                "pv-a",
                BlockVolumes.source("h", fsType, image),
                mode,
                List.of(options),
                0);
    }

    Path target(VolumeSpec volume, String pod) {
        return volume.mode() == VolumeMode.BLOCK
                ? layout.device(pod, BlockPlugin.NAME, volume.name())
                : layout.volume(pod, BlockPlugin.NAME, volume.name());
    }

    SetUp setUp(VolumeSpec volume, String pod, Access access, DeviceState state, Optional<Ownership> ownership) {
        return new SetUp(
                volume,
                new PodIdentity("default", "pod", pod),
                target(volume, pod),
                access,
                Optional.of(state),
                ownership,
                JsonNodeFactory.instance.objectNode());
    }

    SetUpDone setUp(VolumeSpec volume, String pod, Access access, DeviceState state) throws Exception {
        return plugin.setUp(setUp(volume, pod, access, state, Optional.empty()), progress);
    }

    TearDown tearDown(VolumeSpec volume, String pod) {
        return new TearDown(volume.volume(), volume.name(), pod, target(volume, pod), volume.mode(), "");
    }

    /** Attached, and mounted for all. */
    DeviceState up(VolumeSpec volume) throws Exception {
        return plugin.mountDevice(volume, plugin.attach(volume, progress), Access.READ_WRITE, progress);
    }

    void down(VolumeSpec volume, DeviceState state) throws Exception {
        plugin.unmountDevice(volume, state, progress);
        plugin.detach(volume, progress);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        machine.close();
    }
}
