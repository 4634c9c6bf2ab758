package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.Access;
import dev.mooring.volume.DeviceState;
import dev.mooring.volume.Lane;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.host.HostFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Directories of local PersistentVolumes, bound for each Pod. */
final class SimLocal extends SimDevicePlugin {
    SimLocal(SimMachine machine) {
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
    public Lane lane(VolumeSpec volume) {
        return HostFiles.lane(path(volume));
    }

    @Override
    public Optional<String> refusal(List<String> mountOptions) {
        return Optional.empty();
    }

    @Override
    public Attaching attaching() {
        return Attaching.NEVER;
    }

    private static String path(VolumeSpec volume) {
        return volume.source().path("local").path("path").asText("");
    }

    @Override
    Place place(VolumeSpec volume) {
        return Place.directory(machine().name(), path(volume));
    }

    @Override
    String attached(VolumeSpec volume) {
        return "";
    }

    @Override
    void detached(VolumeSpec volume) {}

    @Override
    DeviceState ready(VolumeSpec volume, Access access) throws VolumeException {
        mustBeThere(volume);
        return new DeviceState("", Optional.of(Path.of(path(volume))));
    }

    /** What nobody made and nobody deleted was put there by an administrator. */
    private void mustBeThere(VolumeSpec volume) throws VolumeException {
        if (machine().storage().isDeleted(place(volume))) {
            throw VolumeException.clean("PathMissing", "there is no " + path(volume));
        }
        machine().storage().at(place(volume));
    }

    @Override
    void unready(VolumeSpec volume) throws VolumeException {
        mustNotBeMountedForPods(volume, "unmounted for all");
    }

    @Override
    Optional<Long> grown(VolumeSpec volume) {
        return Optional.of(volume.bytes());
    }

    @Override
    Mount shown(SetUp what) throws VolumeException {
        mustBeThere(what.volume());
        return new Mount(
                kernel().nextId(),
                what.target().toString(),
                "/dev/root",
                "ext4",
                place(what.volume()),
                what.access() == Access.READ_ONLY,
                "",
                what.pod().uid(),
                machine().volumeUid(what.volume()));
    }
}
