package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Image files, attached as loop devices. */
final class SimBlock extends SimDevicePlugin {
    SimBlock(SimMachine machine) {
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
    public Lane lane(VolumeSpec volume) {
        return Lane.DEVICE;
    }

    @Override
    public Optional<String> refusal(List<String> mountOptions) {
        return Optional.empty();
    }

    @Override
    public Attaching attaching() {
        return Attaching.BY_THIS_NODE;
    }

    @Override
    Place place(VolumeSpec volume) {
        return Place.image(machine().name(), Place.image(volume.source()));
    }

    private SimStorage.Data data(VolumeSpec volume) throws VolumeException {
        Optional<SimStorage.Data> there = machine().storage().find(place(volume));
        if (there.isEmpty()) {
            throw VolumeException.clean("ImageMissing", "there is no " + place(volume));
        }
        return there.get();
    }

    @Override
    String attached(VolumeSpec volume) throws VolumeException {
        data(volume);
        return kernel().attach(Place.image(volume.source()));
    }

    @Override
    void detached(VolumeSpec volume) throws VolumeException {
        mustNotBeMountedForPods(volume, "detached");
        String image = Place.image(volume.source());
        Optional<String> device = kernel().device(image);
        if (device.isPresent()) {
            Optional<Mount> mounted = kernel().all().stream()
                    .filter(each -> each.device().equals(device.get()))
                    .findFirst();
            if (mounted.isPresent()) {
                machine()
                        .findings()
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
        return kernel().layout().shared(name(), volume.name()).toString();
    }

    @Override
    DeviceState ready(VolumeSpec volume, Access access) throws VolumeException {
        SimStorage.Data data = data(volume);
        String device = kernel().attach(Place.image(volume.source()));
        if (volume.mode() == VolumeMode.BLOCK) {
            return new DeviceState(device, Optional.empty());
        }
        String target = target(volume);
        boolean readOnly = access == Access.READ_ONLY;
        Optional<Mount> there = kernel().top(target);
        boolean right = there.filter(each -> each.device().equals(device) && each.readOnly() == readOnly)
                .isPresent();
        if (!right || kernel().depth(target) > 1) {
            unmount(target);
            mount(
                    volume,
                    new Mount(kernel().nextId(), target, device, "ext4", place(volume), readOnly, device, "", ""));
            data.resize(volume.bytes());
        }
        return new DeviceState(device, Optional.of(Path.of(target)));
    }

    @Override
    void unready(VolumeSpec volume) throws VolumeException {
        mustNotBeMountedForPods(volume, "unmounted for all");
        unmount(target(volume));
    }

    @Override
    Optional<Long> grown(VolumeSpec volume) throws VolumeException {
        SimStorage.Data data = data(volume);
        if (kernel().device(Place.image(volume.source())).isEmpty()) {
            return Optional.empty();
        }
        data.resize(volume.bytes());
        return Optional.of(Math.max(data.bytes(), volume.bytes()));
    }

    @Override
    Mount shown(SetUp what) throws VolumeException {
        String device = kernel().device(Place.image(what.volume().source())).orElse("");
        boolean isDevice = what.volume().mode() == VolumeMode.BLOCK;
        boolean isReady = isDevice
                ? !device.isEmpty()
                : kernel().top(target(what.volume()))
                        .filter(each -> each.device().equals(device))
                        .isPresent();
        if (!isReady) {
            throw VolumeException.clean("NotAttached", what.volume().name() + " is not there for all Pods");
        }
        return new Mount(
                kernel().nextId(),
                what.target().toString(),
                device,
                isDevice ? "devtmpfs" : "ext4",
                place(what.volume()),
                what.access() == Access.READ_ONLY,
                device,
                what.pod().uid(),
                machine().volumeUid(what.volume()));
    }
}
