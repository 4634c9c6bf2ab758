package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.FileStatus;
import dev.mooring.host.MountTable;
import dev.mooring.host.MountTable.Mount;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.block.LoopDevices.LoopDevice;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Plugin for block volumes: an image file attached as a loop device, used with a file system or as a raw device. The
 * size of the image is a hard limit. An image has at most one loop device. Recorded device state is compared with the
 * kernel's before a device is formatted, mounted or detached, because device numbers are reused after a restart.
 *
 * <p>Images are sparse: if the file system that holds the image is full, writes to the volume fail although the volume
 * is not full. The provisioner's overcommit check prevents that, unless {@code overcommit} allows it or other data
 * fills the disk.
 */
public final class BlockPlugin implements DevicePlugin {
    static final String NAME = "kubernetes.io/csi";

    private final PluginContext context;
    private final Mounter mounter;
    private final LoopDevices loops;
    private final FileSystems fileSystems;
    private final BlockGlobalMount globalMount;
    private final PodMount pods;

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext pluginContext) {
            return new BlockPlugin(pluginContext);
        }
    }

    public BlockPlugin(PluginContext pluginContext) {
        this.context = pluginContext;
        this.mounter = pluginContext.mounter();
        this.loops = new LoopDevices(pluginContext.commands());
        this.fileSystems = new FileSystems(pluginContext.commands());
        this.globalMount = new BlockGlobalMount(pluginContext, loops, fileSystems);
        this.pods = new PodMount(pluginContext);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("csi").path("driver").asText("").equals(StorageNames.BLOCK_DRIVER);
    }

    @Override
    public Optional<String> sharedIdentity(String name, JsonNode source) {
        return Optional.of(StorageNames.BLOCK_DRIVER
                + '^'
                + source.path("csi").path("volumeHandle").asText(""));
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        return WorkerPoolKey.DEVICE;
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return BlockOptions.validationError(mountOptions);
    }

    @Override
    public AttachMode attachMode() {
        return AttachMode.BY_THIS_NODE;
    }

    @Override
    public String attach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException {
        return attached(volume, image(volume)).path();
    }

    private LoopDevice attached(VolumeSpec volume, ImageFile image) throws VolumeException, InterruptedException {
        LoopDevice loop = loops.attach(image.path(), image.requireStatus());
        if (loop.lifetime() == LoopDevice.LoopLifetime.AUTOCLEAR && volume.mode() == VolumeMode.BLOCK) {
            // A mount would keep an autoclear device attached; a raw device would be gone before a container opens it.
            throw VolumeException.clean(
                    LoopDevices.IN_USE,
                    loop.path() + " of the image " + image.path() + " is being detached, but another process or"
                            + " container still has it open; retrying");
        }
        return loop;
    }

    /** Returns the image of the volume. Refuses images on network file systems, where even a stat can hang. */
    private ImageFile image(VolumeSpec volume) throws VolumeException {
        ImageFile image = ImageFile.of(context.calls(), volume.source());
        MountTable table = mounter.table();
        if (!table.isLocalPath(image.path())) {
            throw VolumeException.clean(
                    "NotLocal",
                    "the image " + image.path() + " must be on a local disk, but it is on a file system of type "
                            + table.of(image.path()).type());
        }
        return image;
    }

    @Override
    public void detach(VolumeSpec volume, OperationProgress progress) throws VolumeException, InterruptedException {
        ImageFile image = ImageFile.of(context.calls(), volume.source());
        MountTable table = mounter.table();
        Optional<FileStatus> status = table.isLocalPath(image.path()) ? image.status() : Optional.empty();
        List<LoopDevice> found = status.isPresent() ? loops.of(image.path(), status.get()) : loops.named(image.path());
        for (LoopDevice each : found) {
            if (each.backingMode() == LoopDevice.BackingMode.WHOLE) {
                requireNotMounted(table.mounts(), each.number(), each.path());
                loops.detach(each);
            }
        }
    }

    private static void requireNotMounted(List<Mount> mounts, String number, String device) throws VolumeException {
        for (Mount each : mounts) {
            if (each.device().equals(number) || PodMount.isDevice(each, device)) {
                throw VolumeException.clean(
                        LoopDevices.IN_USE, "device is still in use: " + device + " is mounted at " + each.point());
            }
        }
    }

    @Override
    public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        ImageFile image = image(volume);
        LoopDevice loop = attached(volume, image);
        if (!loop.path().equals(devicePath)) {
            progress.report(EventReasons.DEVICE_CHANGED, "the device is " + loop.path() + " now, it was " + devicePath);
        }
        if (volume.mode() == VolumeMode.BLOCK) {
            loops.updateCapacity(loop, image.requireStatus());
            return new DeviceState(loop.path(), Optional.empty());
        }
        return new DeviceState(loop.path(), Optional.of(globalMount.mount(volume, image, loop, access, progress)));
    }

    @Override
    public void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        MountTable table = mounter.table();
        List<Mount> ofPods = table.below(context.layout().pods());
        if (volume.mode() == VolumeMode.BLOCK) {
            if (!state.devicePath().isEmpty()) {
                requireNotMounted(ofPods, "", state.devicePath());
            }
            return;
        }
        Path target = state.deviceMountPath().orElse(globalMount.target(volume));
        Optional<Mount> existing = table.at(target);
        if (existing.isPresent()) {
            requireNotMounted(ofPods, existing.get().device(), existing.get().source());
            mounter.unmount(target, UnmountTimeouts.LOCAL, progress);
        }
        mounter.removeDirectory(target);
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        DeviceState device = request.device()
                .orElseThrow(() ->
                        VolumeException.clean("NotAttached", request.volume().name() + " has no attached device"));
        return request.volume().mode() == VolumeMode.BLOCK
                ? bindDevice(request, device)
                : pods.bindForPod(request, device, progress);
    }

    private SetUpResult bindDevice(SetUpRequest request, DeviceState device)
            throws VolumeException, InterruptedException {
        ImageFile image = image(request.volume());
        Optional<LoopDevice> loop = loops.at(device.devicePath());
        if (loop.isEmpty() || !loop.get().isBackedBy(image.requireStatus())) {
            throw VolumeException.clean(
                    "NotAttached", "Image " + image.path() + " is not attached to " + device.devicePath());
        }
        return pods.bindDevice(request, device);
    }

    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        pods.unmountForPod(request.target(), progress);
    }

    @Override
    public Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        ImageFile image = image(volume);
        FileStatus status = image.requireStatus();
        List<LoopDevice> found = loops.of(image.path(), status);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        LoopDevice loop = found.get(0);
        long bytes = loops.updateCapacity(loop, status);
        return volume.mode() == VolumeMode.BLOCK
                ? Optional.of(bytes)
                : globalMount.grow(loop, state.deviceMountPath().orElse(globalMount.target(volume)), progress);
    }
}
