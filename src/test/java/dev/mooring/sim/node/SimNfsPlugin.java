package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.sim.node.SimKernel.SimMount;
import dev.mooring.volume.Access;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.nfs.SimNfsPermits;
import java.util.List;
import java.util.Optional;

/** Simulated NFS plugin, which uses the real circuit breaker. Belongs to one process. */
final class SimNfsPlugin extends SimPlugin {
    private static final int NO_RESPONSE_MILLIS = 20_000;
    private static final int SLOW_MILLIS = 25_000;

    private final RemoteServers servers;

    SimNfsPlugin(SimMachine machine, RemoteServers servers) {
        super(machine);
        this.servers = servers;
    }

    @Override
    public String name() {
        return "kubernetes.io/nfs";
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("nfs").isObject();
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        return WorkerPoolKey.server(RemoteServers.key(server(volume)));
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return Optional.empty();
    }

    private static String server(VolumeSpec volume) {
        return volume.source().path("nfs").path("server").asText("");
    }

    @Override
    SetUpResult doSetUp(SetUpRequest request) throws VolumeException, InterruptedException {
        String server = server(request.volume());
        String path = request.volume().source().path("nfs").path("path").asText("");
        FailureState left =
                kernel().top(request.target().toString()).isPresent() ? FailureState.UNCERTAIN : FailureState.CLEAN;
        return SimNfsPermits.during(servers, server, left, () -> mountExport(request, server, path));
    }

    private SetUpResult mountExport(SetUpRequest request, String server, String path)
            throws VolumeException, InterruptedException {
        String target = request.target().toString();
        requireServer(server, kernel().top(target).isPresent() ? FailureState.UNCERTAIN : FailureState.CLEAN);
        DataLocation location = DataLocation.nfs(server, path);
        boolean readOnly = request.access() == Access.READ_ONLY;
        Optional<SimMount> existing = kernel().top(target);
        boolean upToDate = existing.filter(each ->
                        each.dataLocation().equals(location) && each.readOnly() == readOnly && !kernel().isStale(each))
                .isPresent();
        if (!upToDate || kernel().depth(target) > 1) {
            if (machine().storage().isDeleted(location)) {
                throw new VolumeException(
                        existing.isPresent() ? FailureState.UNCERTAIN : FailureState.CLEAN,
                        "ExportNotFound",
                        "there is no " + location,
                        "");
            }
            unmount(target);
            machine().storage().at(location);
            mount(
                    request.volume(),
                    new SimMount(
                            kernel().nextId(),
                            target,
                            server + ':' + path,
                            "nfs4",
                            location,
                            readOnly,
                            "",
                            request.pod().uid(),
                            machine().volumeUid(request.volume())));
        }
        return new SetUpResult(request.target(), server + ':' + path, List.of(readOnly ? "ro" : "rw"), List.of());
    }

    /** Throws if the server does not allow a mount. */
    void requireServer(String name, FailureState left) throws VolumeException, InterruptedException {
        SimNfsServer server = machine().storage().server(name);
        switch (server.state()) {
            case UP -> {}
            case SLOW -> machine().callFaults().pause(SLOW_MILLIS);
            case DOWN -> {
                machine().callFaults().pause(NO_RESPONSE_MILLIS);
                throw new VolumeException(left, "ServerUnreachable", "server " + name + " does not answer", "");
            }
            case REFUSING -> throw new VolumeException(left, "AccessDenied", name + " denies access", "");
            case NO_SUCH_EXPORT -> throw new VolumeException(left, "ExportNotFound", name + " has no such export", "");
        }
        machine().storage().coverage().hit("NFS server " + server.state(), "mounting");
    }

    @Override
    void doTearDown(TearDownRequest request) throws InterruptedException {
        String target = request.target().toString();
        if (kernel().top(target).isPresent()
                && !request.server().isEmpty()
                && machine().storage().server(request.server()).state() == SimNfsServer.State.DOWN) {
            // The real plugin tries a normal, a forced and a lazy unmount.
            machine().callFaults().pause(NO_RESPONSE_MILLIS);
            machine().storage().coverage().hit("NFS server DOWN", "unmounting");
        }
        machine().checkNotInUse(request.podUid(), target, "unmounted");
        unmount(target);
    }

    /** Returns the health of the mount at the target. */
    MountHealth probe(String target) throws InterruptedException {
        Optional<SimMount> mount = kernel().top(target);
        if (mount.isEmpty() || !mount.get().type().equals("nfs4")) {
            return new MountHealth(MountHealth.State.FAILED, "the volume was unmounted", "");
        }
        String server = mount.get().source().substring(0, mount.get().source().indexOf(':'));
        if (machine().storage().server(server).state() == SimNfsServer.State.DOWN) {
            machine().callFaults().pause(5000);
            return new MountHealth(MountHealth.State.UNREACHABLE, "the server did not answer", "");
        }
        return kernel().isStale(mount.get())
                ? new MountHealth(MountHealth.State.STALE, "the file handle is stale", "")
                : MountHealth.HEALTHY;
    }
}
