package dev.mooring.server;

import dev.mooring.control.Controller;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.node.monitor.MountHealthController;
import dev.mooring.node.monitor.MountProber;
import dev.mooring.node.monitor.NfsServerMonitor;
import dev.mooring.node.monitor.UsageCache;
import dev.mooring.node.monitor.UsageCollector;
import dev.mooring.node.monitor.UsageController;
import dev.mooring.node.monitor.VolumeMetrics;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.nfs.MountHealth;
import dev.mooring.volume.nfs.NfsPlugin;
import dev.mooring.volume.nfs.NfsProbe;
import dev.mooring.volume.nfs.NfsServers;
import dev.mooring.volume.nfs.ServerHealth;
import dev.mooring.volume.work.DirectorySize;
import dev.mooring.volume.work.FileSystemMeter;
import dev.mooring.volume.work.MeasuredSpace;
import dev.mooring.volume.work.UsageException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Monitors usage and health of the mounted volumes. */
final class VolumeMonitor implements AutoCloseable {
    private final String node;
    private final MountProber prober;
    private final NfsServerMonitor servers;
    private final UsageCollector rounds;
    private final VolumeMetrics metrics;

    /**
     * Dependencies of the monitor.
     *
     * @param chaos injected faults, if enabled
     */
    record MonitorContext(
            Mounter mounter,
            SystemCalls calls,
            CommandRunner commands,
            NfsPlugin nfs,
            Optional<ChaosVolumeFaults> chaos) {
        private boolean isHung(String server) {
            return chaos.filter(mounts -> mounts.isHung(server)).isPresent();
        }

        /** Retries the server of a volume, unless chaos makes it hang. */
        private void retryServer(VolumeSpec volume) throws InterruptedException {
            if (!isHung(volume.source().path("nfs").path("server").asText(""))) {
                nfs.retryServer(volume);
            }
        }

        /** Returns the server of the mount, if chaos makes it hang. */
        private Optional<String> hungServerAt(Path target) {
            if (chaos.isEmpty()) {
                return Optional.empty();
            }
            try {
                return mounter.table()
                        .at(target)
                        .map(mount -> mount.source().split(":/", 2)[0])
                        .filter(this::isHung);
            } catch (VolumeException e) {
                return Optional.empty();
            }
        }
    }

    /**
     * Creates the monitor.
     *
     * @param runningOperations number of running volume operations
     */
    VolumeMonitor(
            NodeContext nodeContext,
            MonitorContext context,
            UsageCache usageCache,
            IntSupplier runningOperations,
            WorkContext work) {
        this.node = nodeContext.name();
        NfsServers all = context.nfs().servers();
        this.prober = new MountProber(node, all, probe(context), nodeContext.containers(), work);
        this.servers = new NfsServerMonitor(node, all, context::retryServer, prober, work);
        all.addListener(servers);
        this.rounds = new UsageCollector(
                node,
                usageCache,
                meter(context, work),
                server -> all.health(server).state() == ServerHealth.State.CLOSED,
                work);
        this.metrics = new VolumeMetrics(usageCache, work.clock(), runningOperations, servers::up);
    }

    private static MountProber.MountInspector probe(MonitorContext context) {
        NfsProbe probe = new NfsProbe(context.commands());
        return new MountProber.MountInspector() {
            @Override
            public MountHealth probe(Path target) throws InterruptedException {
                Optional<String> hung = context.hungServerAt(target);
                return hung.isPresent() ? context.chaos().orElseThrow().unreachable(hung.get()) : probe.probe(target);
            }

            @Override
            public MountTable table() throws VolumeException {
                return context.mounter().table();
            }
        };
    }

    private static UsageCollector.Meter meter(MonitorContext context, WorkContext work) {
        FileSystemMeter space =
                new FileSystemMeter(context.mounter(), context.calls(), context.commands(), work.clock());
        DirectorySize sum = new DirectorySize(context.commands());
        return new UsageCollector.Meter() {
            @Override
            public Optional<MeasuredSpace> measureNow(Path path) throws UsageException {
                return space.measureLocal(path);
            }

            @Override
            public MeasuredSpace measureBlocking(Path path) throws UsageException, InterruptedException {
                return space.measureInChild(path);
            }

            @Override
            public MeasuredSpace measureNfs(Path path) throws UsageException, InterruptedException {
                return space.measureExport(path);
            }

            @Override
            public long directorySize(Path directory) throws UsageException, InterruptedException {
                return sum.of(directory);
            }
        };
    }

    Controller health() {
        return new MountHealthController(node, prober);
    }

    Controller usage() {
        return new UsageController(node, rounds, metrics);
    }

    VolumeMetrics metrics() {
        return metrics;
    }

    @Override
    public void close() {
        servers.close();
        prober.close();
    }
}
