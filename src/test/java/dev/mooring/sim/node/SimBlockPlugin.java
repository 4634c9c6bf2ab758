package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Simulated block plugin: image files attached as loop devices. */
final class SimBlockPlugin extends SimDevicePlugin {
    SimBlockPlugin(SimMachine machine) {
        super(machine);
    }

    @Override
    public String name() {
        return "kubernetes.io/csi";
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
        return Optional.empty();
    }

    @Override
    public AttachMode attachMode() {
        return AttachMode.BY_THIS_NODE;
    }

    @Override
    DataLocation dataLocation(VolumeSpec volume) {
        return DataLocation.image(machine().name(), DataLocation.image(volume.source()));
    }

    private SimStorage.Data data(VolumeSpec volume) throws VolumeException {
        Optional<SimStorage.Data> data = machine().storage().find(dataLocation(volume));
        if (data.isEmpty()) {
            throw VolumeException.clean("ImageMissing", "there is no " + dataLocation(volume));
        }
        return data.get();
    }

    @Override
    String doAttach(VolumeSpec volume) throws VolumeException {
        data(volume);
        return kernel().attach(DataLocation.image(volume.source()));
    }

    @Override
    void doDetach(VolumeSpec volume) throws VolumeException {
        requireNotMountedForPods(volume, "detached");
        String image = DataLocation.image(volume.source());
        Optional<String> device = kernel().device(image);
        if (device.isPresent()) {
            Optional<SimMount> mounted = kernel().all().stream()
                    .filter(each -> each.device().equals(device.get()))
                    .findFirst();
            if (mounted.isPresent()) {
                machine()
                        .violations()
                        .report(
                                "I5",
                                volume.name() + " is to be detached while it is mounted at "
                                        + mounted.get().target());
                throw VolumeException.clean("InUse", "device is still in use: " + device.get());
            }
            kernel().detach(device.get());
        }
    }

    private String target(VolumeSpec volume) {
        return kernel().layout().globalMount(name(), volume.name()).toString();
    }

    @Override
    DeviceState doMountDevice(VolumeSpec volume, Access access) throws VolumeException {
        SimStorage.Data data = data(volume);
        String device = kernel().attach(DataLocation.image(volume.source()));
        if (volume.mode() == VolumeMode.BLOCK) {
            return new DeviceState(device, Optional.empty());
        }
        String target = target(volume);
        boolean readOnly = access == Access.READ_ONLY;
        Optional<SimMount> existing = kernel().top(target);
        boolean upToDate = existing.filter(each -> each.device().equals(device) && each.readOnly() == readOnly)
                .isPresent();
        if (!upToDate || kernel().depth(target) > 1) {
            unmount(target);
            mount(
                    volume,
                    new SimMount(
                            kernel().nextId(), target, device, "ext4", dataLocation(volume), readOnly, device, "", ""));
            data.resize(volume.bytes());
        }
        return new DeviceState(device, Optional.of(Path.of(target)));
    }

    @Override
    void doUnmountDevice(VolumeSpec volume) throws VolumeException {
        requireNotMountedForPods(volume, "unmounted for all");
        unmount(target(volume));
    }

    @Override
    Optional<Long> doExpand(VolumeSpec volume) throws VolumeException {
        SimStorage.Data data = data(volume);
        if (kernel().device(DataLocation.image(volume.source())).isEmpty()) {
            return Optional.empty();
        }
        data.resize(volume.bytes());
        return Optional.of(Math.max(data.bytes(), volume.bytes()));
    }

    @Override
    SimMount sharedMount(SetUpRequest request) throws VolumeException {
        String device =
                kernel().device(DataLocation.image(request.volume().source())).orElse("");
        boolean isDevice = request.volume().mode() == VolumeMode.BLOCK;
        boolean isReady = isDevice
                ? !device.isEmpty()
                : kernel().top(target(request.volume()))
                        .filter(each -> each.device().equals(device))
                        .isPresent();
        if (!isReady) {
            throw VolumeException.clean("NotAttached", request.volume().name() + " is not mounted for all Pods");
        }
        return new SimMount(
                kernel().nextId(),
                request.target().toString(),
                device,
                isDevice ? "devtmpfs" : "ext4",
                dataLocation(request.volume()),
                request.access() == Access.READ_ONLY,
                device,
                request.pod().uid(),
                machine().volumeUid(request.volume()));
    }
}
