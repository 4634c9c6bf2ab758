package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.hostpath.HostPathInspector;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Simulated local plugin: directories of local PersistentVolumes, bound for each Pod. */
final class SimLocalPlugin extends SimDevicePlugin {
    SimLocalPlugin(SimMachine machine) {
        super(machine);
    }

    @Override
    public String name() {
        return "kubernetes.io/local-volume";
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
        return HostPathInspector.workerPool(path(volume));
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return Optional.empty();
    }

    @Override
    public AttachMode attachMode() {
        return AttachMode.NEVER;
    }

    private static String path(VolumeSpec volume) {
        return volume.source().path("local").path("path").asText("");
    }

    @Override
    DataLocation dataLocation(VolumeSpec volume) {
        return DataLocation.directory(machine().name(), path(volume));
    }

    @Override
    String doAttach(VolumeSpec volume) {
        return "";
    }

    @Override
    void doDetach(VolumeSpec volume) {}

    @Override
    DeviceState doMountDevice(VolumeSpec volume, Access access) throws VolumeException {
        requireDirectory(volume);
        return new DeviceState("", Optional.of(Path.of(path(volume))));
    }

    /** Requires the directory; one that was never created or deleted counts as created by an administrator. */
    private void requireDirectory(VolumeSpec volume) throws VolumeException {
        if (machine().storage().isDeleted(dataLocation(volume))) {
            throw VolumeException.clean("PathMissing", "there is no " + path(volume));
        }
        machine().storage().at(dataLocation(volume));
    }

    @Override
    void doUnmountDevice(VolumeSpec volume) throws VolumeException {
        requireNotMountedForPods(volume, "unmounted for all");
    }

    @Override
    Optional<Long> doExpand(VolumeSpec volume) {
        return Optional.of(volume.bytes());
    }

    @Override
    SimMount sharedMount(SetUpRequest request) throws VolumeException {
        requireDirectory(request.volume());
        return new SimMount(
                kernel().nextId(),
                request.target().toString(),
                "/dev/root",
                "ext4",
                dataLocation(request.volume()),
                request.access() == Access.READ_ONLY,
                "",
                request.pod().uid(),
                machine().volumeUid(request.volume()));
    }
}
