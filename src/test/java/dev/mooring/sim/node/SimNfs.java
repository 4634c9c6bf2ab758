package dev.mooring.sim.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.sim.node.SimKernel.Mount;
import dev.mooring.volume.Access;
import dev.mooring.volume.Lane;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.Health;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.SimPermits;
import java.util.List;
import java.util.Optional;

/** Exports of simulated servers, asked with the leave of the real circuit breaker. Belongs to one process. */
final class SimNfs extends SimPlugin {
    private static final int SILENCE_MILLIS = 20_000;
    private static final int SLOW_MILLIS = 25_000;

    private final NfsServers servers;

    SimNfs(SimMachine machine, NfsServers servers) {
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
    public Lane lane(VolumeSpec volume) {
        return Lane.nfs(NfsServers.key(server(volume)));
    }

    @Override
    public Optional<String> refusal(List<String> mountOptions) {
        return Optional.empty();
    }

    private static String server(VolumeSpec volume) {
        return volume.source().path("nfs").path("server").asText("");
    }

    @Override
    SetUpDone appear(SetUp what) throws VolumeException, InterruptedException {
        String server = server(what.volume());
        String path = what.volume().source().path("nfs").path("path").asText("");
        Left left = kernel().top(what.target().toString()).isPresent() ? Left.PERHAPS_SOMETHING : Left.NOTHING;
        return SimPermits.during(servers, server, left, () -> mounted(what, server, path));
    }

    private SetUpDone mounted(SetUp what, String server, String path) throws VolumeException, InterruptedException {
        String target = what.target().toString();
        ask(server, kernel().top(target).isPresent() ? Left.PERHAPS_SOMETHING : Left.NOTHING);
        Place place = Place.nfs(server, path);
        boolean readOnly = what.access() == Access.READ_ONLY;
        Optional<Mount> there = kernel().top(target);
        boolean right = there.filter(
                        each -> each.place().equals(place) && each.readOnly() == readOnly && !kernel().isStale(each))
                .isPresent();
        if (!right || kernel().depth(target) > 1) {
            if (machine().storage().isDeleted(place)) {
                throw new VolumeException(
                        there.isPresent() ? Left.PERHAPS_SOMETHING : Left.NOTHING,
                        "ExportNotFound",
                        "there is no " + place,
                        "");
            }
            unmount(target);
            machine().storage().at(place);
            mount(
                    what.volume(),
                    new Mount(
                            kernel().nextId(),
                            target,
                            server + ':' + path,
                            "nfs4",
                            place,
                            readOnly,
                            "",
                            what.pod().uid(),
                            machine().volumeUid(what.volume())));
        }
        return new SetUpDone(what.target(), server + ':' + path, List.of(readOnly ? "ro" : "rw"), List.of());
    }

    /** Whether it would let somebody mount. */
    void ask(String name, Left left) throws VolumeException, InterruptedException {
        NfsServer server = machine().storage().server(name);
        switch (server.state()) {
            case UP -> {}
            case SLOW -> machine().turns().pause(SLOW_MILLIS);
            case DOWN -> {
                machine().turns().pause(SILENCE_MILLIS);
                throw new VolumeException(left, "ServerUnreachable", "server " + name + " does not answer", "");
            }
            case REFUSING -> throw new VolumeException(left, "AccessDenied", name + " permits nothing", "");
            case ELSEWHERE -> throw new VolumeException(left, "ExportNotFound", name + " has no such export", "");
        }
        machine().storage().coverage().hit("NFS server " + server.state(), "mounting");
    }

    @Override
    void disappear(TearDown what) throws InterruptedException {
        String target = what.target().toString();
        if (kernel().top(target).isPresent()
                && !what.server().isEmpty()
                && machine().storage().server(what.server()).state() == NfsServer.State.DOWN) {
            // Plainly, by force, lazily.
            machine().turns().pause(SILENCE_MILLIS);
            machine().storage().coverage().hit("NFS server DOWN", "unmounting");
        }
        machine().mayBeTaken(what.podUid(), target, "unmounted");
        unmount(target);
    }

    /** How what is mounted there does. */
    Health probe(String target) throws InterruptedException {
        Optional<Mount> there = kernel().top(target);
        if (there.isEmpty() || !there.get().type().equals("nfs4")) {
            return new Health(Health.State.FAILED, "somebody has unmounted the volume", "");
        }
        String server = there.get().source().substring(0, there.get().source().indexOf(':'));
        if (machine().storage().server(server).state() == NfsServer.State.DOWN) {
            machine().turns().pause(5000);
            return new Health(Health.State.UNREACHABLE, "the server did not answer", "");
        }
        return kernel().isStale(there.get())
                ? new Health(Health.State.STALE, "the file handle is stale", "")
                : Health.FINE;
    }
}
