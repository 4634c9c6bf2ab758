package dev.mooring.volume.nfs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.Lane;
import dev.mooring.volume.PluginParts;
import dev.mooring.volume.Progress;
import dev.mooring.volume.SetUp;
import dev.mooring.volume.SetUpDone;
import dev.mooring.volume.TearDown;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.Left;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.mount.Mounter;
import dev.mooring.volume.mount.UnmountLimits;
import dev.mooring.volume.nfs.NfsServers.Permit;
import dev.mooring.volume.nfs.NfsServers.Refused;
import dev.mooring.volume.path.MountTable.Mount;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Volumes that are exports of NFS servers; every Pod has a mount of its own. What is mounted is read from the mount table, never by
 * touching a path; whether it is alive, a child process with a deadline finds out; a server that does not answer is left in peace for a
 * while (see {@link NfsServers}). Several threads at once, but never two for one volume and Pod.
 */
public final class NfsPlugin implements VolumePlugin {
    public static final String NAME = "kubernetes.io/nfs";

    /** For servers that are known not to answer: a plain umount would only wait for them. */
    static final UnmountLimits IMPATIENT =
            new UnmountLimits(Duration.ofSeconds(3), Duration.ofSeconds(11), Duration.ofSeconds(12));

    private final Mounter mounter;
    private final NfsServers servers;
    private final NfsProbe probe;
    private final PreFlight preFlight;
    private final NfsMount mount;

    /** Finds the plugin; its servers are its own. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginParts parts) {
            return new NfsPlugin(parts, new NfsServers(parts.clock(), ServerListener.NOBODY));
        }
    }

    /** With servers that others look at too. */
    public NfsPlugin(PluginParts parts, NfsServers servers) {
        this(
                parts,
                servers,
                new PreFlight(
                        new NameLookup(InetAddress::getAllByName), PreFlight.PATIENCE, PreFlight.Ports.WELL_KNOWN));
    }

    NfsPlugin(PluginParts parts, NfsServers servers, PreFlight preFlight) {
        this.mounter = parts.mounter();
        this.servers = Objects.requireNonNull(servers);
        this.probe = new NfsProbe(parts.commands());
        this.preFlight = preFlight;
        this.mount = new NfsMount(parts.mounter(), preFlight, parts.deadline());
    }

    @Override
    public String name() {
        return NAME;
    }

    /** What is known of the servers it has asked. */
    public NfsServers servers() {
        return servers;
    }

    /**
     * Asks the server of a volume whether it is back, if it is one that is left in peace and its time has come. What comes of it, the
     * {@link #servers} know. Blocks for some seconds.
     */
    public void knock(VolumeSpec volume) throws InterruptedException {
        String server = volume.source().path("nfs").path("server").asText("");
        if (servers.health(server).state() != ServerHealth.State.OPEN
                || !(servers.enter(server) instanceof Permit permit)) {
            return;
        }
        try (permit) {
            try {
                preFlight.check(NfsVolume.of(volume, Access.READ_WRITE));
                permit.answered();
            } catch (VolumeException e) {
                // Within, for a permit that is closed unused has learned nothing.
                learn(permit, e);
            }
        }
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("nfs").isObject();
    }

    @Override
    public Lane lane(VolumeSpec volume) {
        return Lane.nfs(
                ServerName.key(volume.source().path("nfs").path("server").asText("")));
    }

    @Override
    public Optional<String> refusal(List<String> mountOptions) {
        return NfsOptions.refusal(mountOptions);
    }

    @Override
    public SetUpDone setUp(SetUp what, Progress progress) throws VolumeException, InterruptedException {
        if (what.volume().mode() == VolumeMode.BLOCK) {
            throw VolumeException.clean(
                    "WrongMode", "NFS volumes hold files: volumeMode Block is not supported, use Filesystem");
        }
        NfsVolume asked = NfsVolume.of(what.volume(), what.access());
        List<Mount> there = mounter.table().allAt(what.target());
        NfsServers.Answer answer = servers.enter(asked.server().text());
        if (answer instanceof Refused refused) {
            throw notNow(refused.health(), there);
        }
        try (Permit permit = (Permit) answer) {
            try {
                Mount mounted = mounted(asked, what.target(), there, progress);
                permit.answered();
                return NfsRemarks.done(what, asked, mounted);
            } catch (VolumeException e) {
                learn(permit, e);
                throw e;
            }
        }
    }

    private static void learn(Permit permit, VolumeException failed) {
        if (NfsFailure.isSilence(failed.reason())) {
            permit.notAnswered(failed.getMessage());
        } else if (NfsFailure.isAnswer(failed.reason())) {
            permit.answered();
        }
    }

    private Mount mounted(NfsVolume asked, Path target, List<Mount> there, Progress progress)
            throws VolumeException, InterruptedException {
        if (there.isEmpty()) {
            return mount.fresh(asked, target, progress);
        }
        Optional<String> wrong = InForce.wrong(there, asked);
        if (wrong.isEmpty()) {
            Health health = probe.probe(target);
            if (health.isFine()) {
                return there.get(0);
            }
            if (health.state() == Health.State.UNREACHABLE) {
                // A mount that waits for its server is as good as new when the server is back.
                throw VolumeException.uncertain(
                        NfsFailure.TOO_SLOW,
                        asked + " is mounted, but " + health.words() + "; the mount is kept",
                        health.raw());
            }
            wrong = Optional.of("is of no use: " + health.words());
        }
        return mount.again(asked, target, wrong.get(), limits(asked.server().text()), progress);
    }

    private static VolumeException notNow(ServerHealth health, List<Mount> there) {
        return new VolumeException(
                there.isEmpty() ? Left.NOTHING : Left.PERHAPS_SOMETHING,
                PreFlight.UNREACHABLE,
                // The same words as long as it lasts, so that they are one Event and not one for each try.
                "server " + health.server() + " has not answered since "
                        + health.since().orElseThrow().truncatedTo(ChronoUnit.SECONDS) + " (the last time: "
                        + health.lastError()
                        + "); it is asked again now and then, and this is tried as soon as it answers",
                health.lastError());
    }

    @Override
    public void tearDown(TearDown what, Progress progress) throws VolumeException, InterruptedException {
        Optional<Mount> there = mounter.table().at(what.target());
        if (there.isPresent()) {
            String server = what.server().isEmpty() ? serverOf(there.get().source()) : what.server();
            mounter.unmount(what.target(), limits(server), progress);
        }
        mounter.removeDirectory(what.target());
    }

    private static String serverOf(String source) {
        int colon = source.indexOf(":/");
        return colon < 0 ? "" : source.substring(0, colon);
    }

    private UnmountLimits limits(String server) {
        return servers.health(server).state() == ServerHealth.State.CLOSED ? UnmountLimits.REMOTE : IMPATIENT;
    }
}
