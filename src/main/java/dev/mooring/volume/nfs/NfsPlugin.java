package dev.mooring.volume.nfs;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.host.MountTable.Mount;
import dev.mooring.model.view.VolumeMode;
import dev.mooring.volume.Access;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.OperationProgress;
import dev.mooring.volume.PluginContext;
import dev.mooring.volume.RemotePlugin;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.RemoteServers.Permit;
import dev.mooring.volume.RemoteServers.PermitDenied;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.ServerListener;
import dev.mooring.volume.SetUpRequest;
import dev.mooring.volume.SetUpResult;
import dev.mooring.volume.TearDownRequest;
import dev.mooring.volume.UnmountTimeouts;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeException.FailureState;
import dev.mooring.volume.VolumePlugin;
import dev.mooring.volume.VolumePluginProvider;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.WorkerPoolKey;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Plugin for {@code nfs} volumes; each Pod has its own mount. The plugin reads mounts from the mount table and never
 * accesses a mounted path; a child process with a deadline probes mounts. Servers that do not respond are not contacted
 * for a while (see {@link RemoteServers}). Thread-safe for different volumes and Pods.
 */
public final class NfsPlugin implements RemotePlugin {
    public static final String NAME = "kubernetes.io/nfs";

    /** For servers that are known not to respond, where a plain umount would only wait. */
    static final UnmountTimeouts SHORT_TIMEOUTS =
            new UnmountTimeouts(Duration.ofSeconds(3), Duration.ofSeconds(11), Duration.ofSeconds(12));

    private final Mounter mounter;
    private final RemoteServers servers;
    private final NfsProbe probe;
    private final ServerProbe serverProbe;
    private final NfsMount mount;

    /** Creates the plugin with its own {@link RemoteServers}. */
    public static final class Provider implements VolumePluginProvider {
        @Override
        public VolumePlugin create(PluginContext context) {
            return new NfsPlugin(context, new RemoteServers(context.clock(), ServerListener.NO_OP));
        }
    }

    /** Creates the plugin with shared server state. */
    public NfsPlugin(PluginContext context, RemoteServers servers) {
        this(
                context,
                servers,
                new ServerProbe(
                        new NameLookup(InetAddress::getAllByName),
                        ServerProbe.TIMEOUT,
                        ServerProbe.NfsPorts.WELL_KNOWN));
    }

    NfsPlugin(PluginContext context, RemoteServers servers, ServerProbe preFlight) {
        this.mounter = context.mounter();
        this.servers = Objects.requireNonNull(servers);
        this.probe = new NfsProbe(context.commands());
        this.serverProbe = preFlight;
        this.mount = new NfsMount(context.mounter(), preFlight, context.deadline());
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public RemoteServers servers() {
        return servers;
    }

    @Override
    public MountHealth probe(Path mounted) throws InterruptedException {
        return probe.probe(mounted);
    }

    @Override
    public void retryServer(VolumeSpec volume) throws InterruptedException {
        String server = volume.source().path("nfs").path("server").asText("");
        if (servers.health(server).state() != ServerHealth.State.OPEN
                || !(servers.tryAcquire(server) instanceof Permit permit)) {
            return;
        }
        try (permit) {
            try {
                serverProbe.check(NfsVolume.of(volume, Access.READ_WRITE));
                permit.answered();
            } catch (VolumeException e) {
                // Recorded before the permit is closed; closing an unused permit records nothing.
                recordFailure(permit, e);
            }
        }
    }

    @Override
    public boolean supports(JsonNode source) {
        return source.path("nfs").isObject();
    }

    @Override
    public WorkerPoolKey workerPool(VolumeSpec volume) {
        return WorkerPoolKey.server(
                RemoteServers.key(volume.source().path("nfs").path("server").asText("")));
    }

    @Override
    public Optional<String> mountOptionsError(List<String> mountOptions) {
        return NfsOptions.validationError(mountOptions);
    }

    @Override
    public SetUpResult setUp(SetUpRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (request.volume().mode() == VolumeMode.BLOCK) {
            throw VolumeException.clean("WrongMode", "NFS volumes do not support volumeMode Block: use Filesystem");
        }
        NfsVolume requested = NfsVolume.of(request.volume(), request.access());
        List<Mount> existing = mounter.table().allAt(request.target());
        RemoteServers.PermitResult answer =
                servers.tryAcquire(requested.server().text());
        if (answer instanceof PermitDenied refused) {
            throw serverUnavailable(refused.health(), existing);
        }
        try (Permit permit = (Permit) answer) {
            try {
                Mount mounted = mounted(requested, request.target(), existing, progress);
                permit.answered();
                return NfsSetUpEvents.setUpResult(request, requested, mounted);
            } catch (VolumeException e) {
                recordFailure(permit, e);
                throw e;
            }
        }
    }

    private static void recordFailure(Permit permit, VolumeException failed) {
        if (NfsFailure.isNoResponse(failed.reason())) {
            permit.notAnswered(failed.getMessage());
        } else if (NfsFailure.isResponse(failed.reason())) {
            permit.answered();
        }
    }

    private Mount mounted(NfsVolume requested, Path target, List<Mount> existing, OperationProgress progress)
            throws VolumeException, InterruptedException {
        if (existing.isEmpty()) {
            return mount.mountNew(requested, target, progress);
        }
        Optional<String> wrong = MountVerifier.mismatch(existing, requested);
        if (wrong.isEmpty()) {
            MountHealth health = probe.probe(target);
            if (health.isHealthy()) {
                return existing.get(0);
            }
            if (health.state() == MountHealth.State.UNREACHABLE) {
                // A mount that waits for its server recovers when the server is back.
                throw VolumeException.uncertain(
                        NfsFailure.TOO_SLOW,
                        requested + " is mounted, but " + health.message() + "; the mount is kept",
                        health.raw());
            }
            wrong = Optional.of("is unusable: " + health.message());
        }
        return mount.remount(
                requested, target, wrong.get(), limits(requested.server().text()), progress);
    }

    private static VolumeException serverUnavailable(ServerHealth health, List<Mount> existing) {
        return new VolumeException(
                existing.isEmpty() ? FailureState.CLEAN : FailureState.UNCERTAIN,
                ServerProbe.UNREACHABLE,
                // The message is constant while the outage lasts, so that the Events are aggregated.
                "server " + health.server() + " has not responded since "
                        + health.since().orElseThrow().truncatedTo(ChronoUnit.SECONDS) + " (last error: "
                        + health.lastError()
                        + "); it is probed periodically, and the mount is retried when it responds",
                health.lastError());
    }

    @Override
    public void tearDown(TearDownRequest request, OperationProgress progress)
            throws VolumeException, InterruptedException {
        Optional<Mount> existing = mounter.table().at(request.target());
        if (existing.isPresent()) {
            String server = request.server().isEmpty() ? serverOf(existing.get().source()) : request.server();
            mounter.unmount(request.target(), limits(server), progress);
        }
        mounter.removeDirectory(request.target());
    }

    private static String serverOf(String source) {
        int colon = source.indexOf(":/");
        return colon < 0 ? "" : source.substring(0, colon);
    }

    private UnmountTimeouts limits(String server) {
        return servers.health(server).state() == ServerHealth.State.CLOSED ? UnmountTimeouts.REMOTE : SHORT_TIMEOUTS;
    }
}
