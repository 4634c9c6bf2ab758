package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.mooring.host.ChildProcess;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.FsGroup;
import dev.mooring.volume.LinuxMounter;
import dev.mooring.volume.NodeLayout;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.PodIdentity;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A node with a block plugin on the real machine, and volumes for it. */
final class BlockPluginFixture implements AutoCloseable {
    static final String POD = "0123abcd-1947-4000-8000-00000000000a";
    static final String OTHER_POD = "9876fedc-1947-4000-8000-00000000000b";

    final LoopDeviceFixture machine;
    final NodeLayout layout;
    final BlockPlugin plugin;
    final List<String> steps = new ArrayList<>();
    final OperationProgress progress = (reason, message) -> steps.add(reason + ": " + message);

    BlockPluginFixture(Path temp) throws IOException {
        machine = new LoopDeviceFixture(temp);
        layout = new NodeLayout(Files.createDirectories(machine.root.resolve("node")));
        plugin = plugin(new ChildProcess(), SystemCalls.real());
    }

    BlockPlugin plugin(CommandRunner runner, SystemCalls calls) {
        return new BlockPlugin(new PluginContext(
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

    SetUpRequest setUp(VolumeSpec volume, String pod, Access access, DeviceState state, Optional<FsGroup> ownership) {
        return new SetUpRequest(
                volume,
                new PodIdentity("default", "pod", pod),
                target(volume, pod),
                access,
                Optional.of(state),
                ownership,
                JsonNodeFactory.instance.objectNode());
    }

    SetUpResult setUp(VolumeSpec volume, String pod, Access access, DeviceState state) throws Exception {
        return plugin.setUp(setUp(volume, pod, access, state, Optional.empty()), progress);
    }

    TearDownRequest tearDown(VolumeSpec volume, String pod) {
        return new TearDownRequest(volume.uniqueName(), volume.name(), pod, target(volume, pod), volume.mode(), "");
    }

    /** Attaches the volume and mounts it globally. */
    DeviceState up(VolumeSpec volume) throws Exception {
        return plugin.mountDevice(volume, plugin.attach(volume, progress), Access.READ_WRITE, progress);
    }

    void down(VolumeSpec volume, DeviceState state) throws Exception {
        plugin.unmountDevice(volume, state, progress);
        detach(plugin, volume);
    }

    /** Detaches the volume, also if another process has its device open for a moment. */
    void detach(BlockPlugin by, VolumeSpec volume) throws Exception {
        LoopDeviceFixture.detach(() -> by.detach(volume, progress));
    }

    @Override
    public void close() throws Exception {
        machine.close();
    }
}
