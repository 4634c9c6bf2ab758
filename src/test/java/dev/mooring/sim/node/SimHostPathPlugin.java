package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.Access;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.hostpath.HostPathInspector;
import java.nio.file.Path;
import java.util.List;

/**
 * Simulated hostPath plugin: PersistentVolumes are bound for each Pod; paths in a Pod's spec are passed to containers
 * unchanged.
 */
final class SimHostPathPlugin extends SimPlugin {
    SimHostPathPlugin(SimMachine machine) {
        super(machine);
    }

    @Override
    public String name() {
        return "kubernetes.io/host-path";
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("hostPath").isObject();
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        return HostPathInspector.workerPool(
                volume.source().path("hostPath").path("path").asText());
    }

    @Override
    SetUpResult doSetUp(SetUpRequest request) throws VolumeException {
        JsonNode source = request.volume().source().path("hostPath");
        String path = source.path("path").asText("");
        DataLocation location = DataLocation.directory(machine().name(), path);
        boolean mayCreate = source.path("type").asText("").isEmpty()
                || source.path("type").asText("").equals("DirectoryOrCreate");
        if (machine().storage().find(location).isEmpty() && !mayCreate) {
            throw VolumeException.clean("WrongType", "hostPath type check failed: " + path + " is not a directory");
        }
        machine().storage().at(location);
        if (!isInPodSpec(request)) {
            return bind(request, location);
        }
        machine().exposeHostPath(request.target().toString(), path);
        recordUse(request.volume(), request.pod().uid());
        return SetUpResult.at(Path.of(path));
    }

    private static boolean isInPodSpec(SetUpRequest request) {
        for (JsonNode each : request.podObject().path("spec").path("volumes")) {
            if (each.path("name").asText().equals(request.volume().name())
                    && each.path("hostPath").isObject()) {
                return true;
            }
        }
        return false;
    }

    private SetUpResult bind(SetUpRequest request, DataLocation location) {
        String target = request.target().toString();
        boolean readOnly = request.access() == Access.READ_ONLY;
        boolean upToDate = kernel().top(target)
                .filter(each -> each.dataLocation().equals(location) && each.readOnly() == readOnly)
                .isPresent();
        if (!upToDate || kernel().depth(target) > 1) {
            unmount(target);
            mount(
                    request.volume(),
                    new SimMount(
                            kernel().nextId(),
                            target,
                            "/dev/root",
                            "ext4",
                            location,
                            readOnly,
                            "",
                            request.pod().uid(),
                            machine().volumeUid(request.volume())));
        }
        return new SetUpResult(request.target(), "/dev/root", List.of(readOnly ? "ro" : "rw"), List.of());
    }

    @Override
    void doTearDown(TearDownRequest request) {
        String target = request.target().toString();
        if (kernel().top(target).isPresent() || kernel().hasDirectory(target)) {
            machine().checkNotInUse(request.podUid(), target, "unmounted");
            unmount(target);
            return;
        }
        machine().checkNotInUse(request.podUid(), machine().exposedHostPath(target), "released");
        machine().withdrawHostPath(target);
        machine()
                .storage()
                .released(machine().volumeUid(request.name()), machine().name(), request.podUid());
    }
}
