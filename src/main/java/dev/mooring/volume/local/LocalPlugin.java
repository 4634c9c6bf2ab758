package dev.mooring.volume.local;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.EventReasons;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.DevicePlugin;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.hostpath.FileKind;
import dev.mooring.volume.hostpath.HostPathInspector;
import dev.mooring.volume.hostpath.ObservedPath;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Plugin for {@code local} volumes: a directory, bound for each Pod; or a block device, mounted once for all Pods and
 * bound for each, or passed through for {@code volumeMode: Block}. Thread-safe for different volumes.
 */
public final class LocalPlugin implements DevicePlugin {
    public static final String NAME = "kubernetes.io/local-volume";

    private static final String DEVICES = "/dev/";

    /** Found by {@link java.util.ServiceLoader}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new LocalPlugin(context);
        }
    }

    private final LocalPath path;
    private final LocalDisk disk;
    private final LocalPodMount podMount;

    public LocalPlugin(PluginContext context) {
        this.path = new LocalPath(context);
        this.disk = new LocalDisk(context);
        this.podMount = new LocalPodMount(context);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("local").isObject();
    }

    @Override
    public Optional<String> sharedIdentity(String name, JsonNode source) {
        return Optional.of(name);
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        String text = LocalPath.text(volume);
        return text.startsWith(DEVICES) ? WorkerPoolKey.DEVICE : HostPathInspector.workerPool(text);
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return BindOptions.validationError(mountOptions);
    }

    @Override
    public AttachMode attachMode() {
        return AttachMode.NEVER;
    }

    /** No-op: the device is always attached. */
    @Override
    public String attach(VolumeSpec volume, OperationProgress progress) {
        return "";
    }

    @Override
    public void detach(VolumeSpec volume, OperationProgress progress) {}

    @Override
    public DeviceState mountDevice(VolumeSpec volume, String devicePath, Access access, OperationProgress progress)
            throws VolumeException, InterruptedException {
        requireAllowedOptions(volume);
        ObservedPath observed = path.inspect(volume);
        if (volume.mode() == VolumeMode.BLOCK) {
            mustBeDevice(observed);
            return new DeviceState(observed.real().toString(), Optional.empty());
        }
        if (observed.kind() == FileKind.DIRECTORY) {
            return new DeviceState("", Optional.of(observed.real()));
        }
        return disk.mount(volume, observed.real(), BindOptions.access(access, volume.mountOptions()), progress);
    }

    private void requireAllowedOptions(VolumeSpec volume) throws VolumeException {
        Optional<String> refusal = mountOptionsError(volume.mountOptions());
        if (refusal.isPresent()) {
            throw VolumeException.clean("InvalidOptions", refusal.get());
        }
    }

    private static void mustBeDevice(ObservedPath observed) throws VolumeException {
        if (observed.kind() != FileKind.BLOCK_DEVICE) {
            throw VolumeException.clean(
                    "WrongType",
                    "volumeMode Block needs a block device, but " + observed.real() + " is " + observed.description()
                            + ": use volumeMode Filesystem");
        }
    }

    /** Unmounts the device. Does nothing for a directory, which was never mounted globally. */
    @Override
    public void unmountDevice(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        disk.unmount(volume, progress);
    }

    /**
     * Grows the file system of a disk to the size of its device. The size of a PersistentVolume is not enforced for
     * directories and disks, so at least the requested size is granted.
     */
    @Override
    public Optional<Long> expand(VolumeSpec volume, DeviceState state, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (state.devicePath().isEmpty()) {
            return Optional.of(volume.bytes());
        }
        Optional<Long> size =
                volume.mode() == VolumeMode.BLOCK || state.deviceMountPath().isEmpty()
                        ? Optional.of(disk.size(state.devicePath()))
                        : disk.grow(state.devicePath(), state.deviceMountPath().get());
        if (size.isPresent() && size.get() < volume.bytes()) {
            progress.report(
                    EventReasons.DEVICE_SMALLER,
                    state.devicePath() + " has " + size.get() + " bytes, fewer than the " + volume.bytes()
                            + " that PersistentVolume " + volume.name() + " promises; all of it is used now");
        }
        return size.map(now -> Math.max(now, volume.bytes()));
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        VolumeSpec volume = request.volume();
        requireAllowedOptions(volume);
        ObservedPath observed = path.inspect(volume);
        if (volume.mode() == VolumeMode.BLOCK) {
            mustBeDevice(observed);
            return podMount.bindDevice(request, observed.real());
        }
        if (observed.kind() == FileKind.DIRECTORY) {
            return podMount.bindForPod(request, observed, progress);
        }
        Path device = observed.real();
        SetUpResult done = podMount.bindForPod(request, disk.mounted(volume, device), progress);
        return new SetUpResult(done.path(), device.toString(), done.options(), done.events());
    }

    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        podMount.unmountForPod(request.target(), progress);
    }
}
