package dev.mooring.server;

import dev.mooring.control.Controller;
import dev.mooring.control.Effect;
import dev.mooring.host.CommandRunner;
import dev.mooring.host.MountTable;
import dev.mooring.host.SystemCalls;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.node.monitor.MountHealthController;
import dev.mooring.node.monitor.MountProber;
import dev.mooring.node.monitor.RemoteServerMonitor;
import dev.mooring.node.monitor.UsageCache;
import dev.mooring.node.monitor.UsageCollector;
import dev.mooring.node.monitor.UsageController;
import dev.mooring.node.monitor.VolumeMetrics;
import dev.mooring.node.volumemanager.NodeContext;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.volume.MountHealth;
import dev.mooring.volume.Mounter;
import dev.mooring.volume.RemotePlugin;
import dev.mooring.volume.ServerHealth;
import dev.mooring.volume.VolumeException;
import dev.mooring.volume.VolumeSpec;
import dev.mooring.volume.work.DirectorySize;
import dev.mooring.volume.work.FileSystemMeter;
import dev.mooring.volume.work.MeasuredSpace;
import dev.mooring.volume.work.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;

/** Monitors usage and health of the mounted volumes. */
final class VolumeMonitor implements AutoCloseable {
    private final String node;
    private final List<MountProber> probers = new ArrayList<>();
    private final List<RemoteServerMonitor> servers = new ArrayList<>();
    private final UsageCache usageCache;
    private final UsageCollector rounds;
    private final VolumeMetrics metrics;

    /**
     * Dependencies of the monitor.
     *
     * @param remote plugins without injected faults
     * @param chaos injected faults, if enabled
     */
    record MonitorContext(
            Mounter mounter,
            SystemCalls calls,
            CommandRunner commands,
            List<RemotePlugin> remote,
            Optional<ChaosVolumeFaults> chaos) {
        private boolean isHung(String server) {
            return chaos.filter(mounts -> mounts.isHung(server)).isPresent();
        }

        private boolean isResponding(String server) {
            return remote.stream()
                    .allMatch(each -> each.servers().health(server).state() == ServerHealth.State.CLOSED);
        }

        /** Retries the server of a volume, unless chaos makes it hang. */
        private void retryServer(RemotePlugin plugin, VolumeSpec volume) throws InterruptedException {
            if (!isHung(SourceTypes.server(volume.source()))) {
                plugin.retryServer(volume);
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
        for (RemotePlugin each : context.remote()) {
            MountProber prober = new MountProber(
                    node, each.name(), each.servers(), inspector(context, each), nodeContext.containers(), work);
            RemoteServerMonitor monitor = new RemoteServerMonitor(
                    node, each.name(), each.servers(), volume -> context.retryServer(each, volume), prober, work);
            each.servers().addListener(monitor);
            probers.add(prober);
            servers.add(monitor);
        }
        this.usageCache = usageCache;
        this.rounds = new UsageCollector(node, usageCache, meter(context, work), context::isResponding, work);
        this.metrics = new VolumeMetrics(usageCache, work.clock(), runningOperations, this::serversUp);
    }

    private Map<String, Boolean> serversUp() {
        Map<String, Boolean> up = new LinkedHashMap<>();
        servers.forEach(each -> up.putAll(each.up()));
        return up;
    }

    private static MountProber.MountInspector inspector(MonitorContext context, RemotePlugin plugin) {
        return new MountProber.MountInspector() {
            @Override
            public MountHealth probe(Path target) throws InterruptedException {
                Optional<String> hung = context.hungServerAt(target);
                return hung.isPresent() ? context.chaos().orElseThrow().unreachable(hung.get()) : plugin.probe(target);
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
            public MeasuredSpace measureExport(Path path) throws UsageException, InterruptedException {
                return space.measureExport(path);
            }

            @Override
            public long directorySize(Path directory) throws UsageException, InterruptedException {
                return sum.of(directory);
            }
        };
    }

    /** Executes an effect of {@link #health}. */
    void executeHealth(Effect effect) {
        probers.forEach(each -> each.execute(effect));
    }

    /** Executes an effect of {@link #usage}. */
    void executeUsage(Effect effect) {
        rounds.execute(effect);
    }

    Controller health() {
        return new MountHealthController(node);
    }

    Controller usage() {
        return new UsageController(node, usageCache, metrics);
    }

    VolumeMetrics metrics() {
        return metrics;
    }

    @Override
    public void close() {
        servers.forEach(RemoteServerMonitor::close);
        probers.forEach(MountProber::close);
    }
}
