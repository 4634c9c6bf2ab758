package dev.mooring.node.monitor;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.host.MountTable;
import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.ActualVolume.Mount;
import dev.mooring.model.view.Pod;
import dev.mooring.model.view.PodReference;
import dev.mooring.node.DurableWriter;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.monitor.MountHealthController.ProbeMounts;
import dev.mooring.node.monitor.MountHealthUpdates.MountUse;
import dev.mooring.node.volumemanager.PodStateProvider;
import dev.mooring.node.volumemanager.PodVolumes;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.RemoteServers;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.world.Proposal;
import dev.mooring.world.World;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Probes the mounts of one remote plugin, one per server at a time, and records changed results in the ActualVolume and
 * as Events. Mounts of a server that is known to be unresponsive are not probed; they get the server's state. Outlives
 * the controller's verticle. Thread-safe; requests never block.
 */
public final class MountProber implements EffectExecutor, AutoCloseable {
    private final String plugin;
    private final RemoteServers servers;
    private final MountInspector inspector;
    private final PodStateProvider containers;
    private final WorkContext context;
    private final MountHealthUpdates edits;
    private final MountHealthEventRecorder recorder;
    private final DurableWriter writer;
    private final KeyedExecutor executor;

    /**
     * Mounts that were reported as unhealthy. A mount may recover because it was mounted again, which is reported, too.
     */
    private final Set<MountId> reported = ConcurrentHashMap.newKeySet();

    /** Inspects the machine's mounts. A port, so that tests can replace the machine. */
    public interface MountInspector {
        /** Probes a mount. Blocks for at most a few seconds. */
        MountHealth probe(Path target) throws InterruptedException;

        MountTable table() throws VolumeException;
    }

    /**
     * Creates a prober.
     *
     * @param plugin name of the plugin
     * @param containers tells which Pods may still run containers
     */
    public MountProber(
            String node,
            String plugin,
            RemoteServers servers,
            MountInspector inspector,
            PodStateProvider containers,
            WorkContext context) {
        this.plugin = plugin;
        this.servers = servers;
        this.inspector = inspector;
        this.containers = containers;
        this.context = context;
        String actor = "node/" + node;
        this.edits = new MountHealthUpdates(actor);
        this.recorder = new MountHealthEventRecorder(actor, context);
        this.writer = new DurableWriter(context.world(), context.timers());
        this.executor = new KeyedExecutor(1, context.threads());
    }

    /** Probes the mounts of a volume, unless it belongs to another plugin. */
    @Override
    public void execute(Effect effect) {
        if (effect instanceof ProbeMounts probe) {
            if (probe.volume().plugin().equals(plugin)) {
                request(probe.volume());
            }
        } else {
            World world = context.world().world();
            reported.removeIf(each -> world.get(each.volume()).isEmpty());
        }
    }

    /** Probes all mounts of a volume. */
    void request(ActualVolume volume) {
        String server = RemoteVolumes.server(volume);
        for (Mount each : volume.mounts()) {
            if (each.isMounted() && each.path().startsWith("/")) {
                MountId id = new MountId(volume.key(), each.pod().uid());
                executor.submit(WorkerPoolKey.server(server), id, () -> probe(id, server, Path.of(each.path())));
            }
        }
    }

    private void probe(MountId id, String server, Path target) throws InterruptedException {
        ServerHealth known = servers.health(server);
        if (known.state() != ServerHealth.State.CLOSED) {
            unhealthy(id, MountProblem.of(known));
            return;
        }
        MountHealth health = inspector.probe(target);
        servers.recordProbe(server, health);
        if (health.isHealthy()) {
            healthy(id);
        } else {
            unhealthy(id, MountProblem.of(health, health.state() != MountHealth.State.FAILED || isThere(target)));
        }
    }

    private boolean isThere(Path target) {
        try {
            return inspector.table().isMountPoint(target);
        } catch (VolumeException e) {
            // The state is unknown, so the mount counts as in use.
            return true;
        }
    }

    private void unhealthy(MountId id, MountProblem finding) {
        write(
                id,
                (world, volume) -> edits.unhealthy(
                        volume,
                        id.podUid(),
                        finding,
                        use(world, volume, id.podUid()),
                        context.clock().instant()),
                volume -> {
                    reported.add(id);
                    volume.mountFor(id.podUid())
                            .filter(mount -> !isRecorded(mount, finding))
                            .ifPresent(mount -> recorder.recordAbnormal(volume, mount, finding.message()));
                });
    }

    private static boolean isRecorded(Mount mount, MountProblem finding) {
        return mount.json().path("health").path("reason").asText("").equals(finding.reason());
    }

    private void healthy(MountId id) {
        Optional<ActualVolume> now = context.world().world().get(id.volume()).map(ActualVolume::of);
        Optional<Mount> mount = now.flatMap(volume -> volume.mountFor(id.podUid()));
        if (mount.isEmpty()) {
            return;
        }
        if (mount.get().json().path("health").isObject()) {
            write(id, (world, volume) -> edits.healthy(volume, id.podUid()), volume -> {
                reported.remove(id);
                volume.mountFor(id.podUid()).ifPresent(each -> recorder.recordNormal(volume, each));
            });
        } else if (reported.remove(id)) {
            recorder.recordNormal(now.get(), mount.get());
        }
    }

    private interface ProposalFactory {
        Optional<Proposal> of(World world, ActualVolume volume);
    }

    private interface WrittenCallback {
        /**
         * Called after a write.
         *
         * @param before the volume the decision was based on
         */
        void onWritten(ActualVolume before);
    }

    private void write(MountId id, ProposalFactory decide, WrittenCallback written) {
        AtomicReference<ActualVolume> before = new AtomicReference<>();
        writer.write(
                id.volume(),
                world -> {
                    before.set(null);
                    Optional<ActualVolume> volume = world.get(id.volume()).map(ActualVolume::of);
                    Optional<Proposal> proposal = volume.flatMap(each -> decide.of(world, each));
                    proposal.ifPresent(unused -> before.set(volume.get()));
                    return proposal;
                },
                () -> Optional.ofNullable(before.get()).ifPresent(written::onWritten));
    }

    private MountUse use(World world, ActualVolume volume, String podUid) {
        if (containers.mayRun(podUid)) {
            return MountUse.MAY_BE_USED;
        }
        PodReference pod = volume.mountFor(podUid).map(Mount::pod).orElseThrow();
        if (pod.namespace().isEmpty() || pod.name().isEmpty()) {
            return MountUse.MAY_BE_USED;
        }
        return world.get(Pod.key(pod.namespace(), pod.name()))
                        .map(Pod::of)
                        .filter(found -> found.uid().equals(podUid))
                        .filter(PodVolumes::isRunning)
                        .isPresent()
                ? MountUse.MAY_BE_USED
                : MountUse.UNUSED;
    }

    @Override
    public void close() {
        writer.close();
    }
}
