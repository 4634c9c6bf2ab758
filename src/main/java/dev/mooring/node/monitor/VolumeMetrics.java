package dev.mooring.node.monitor;

import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.node.monitor.VolumeUsage.VolumeCondition;
import dev.mooring.volume.work.FileSystemStats;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Volume gauges with the kubelet's names. Computed at scrape time from the {@link UsageCache}, so that no series are
 * kept for thousands of volumes and series of removed volumes disappear. Thread-safe.
 */
public final class VolumeMetrics implements MultiCollector {
    private static final String STATS = "kubelet_volume_stats_";

    private final UsageCache cache;
    private final Clock clock;
    private final IntSupplier pendingOperations;
    private final Supplier<Map<String, Boolean>> servers;
    private volatile VolumeCounts counts = new VolumeCounts();

    /**
     * Creates the collector.
     *
     * @param pendingOperations number of volume operations in progress
     * @param servers NFS servers, and whether they respond
     */
    public VolumeMetrics(
            UsageCache cache, Clock clock, IntSupplier pendingOperations, Supplier<Map<String, Boolean>> servers) {
        this.cache = cache;
        this.clock = clock;
        this.pendingOperations = pendingOperations;
        this.servers = servers;
    }

    /** Returns new counts that replace the previous ones. */
    VolumeCounts newCounts() {
        VolumeCounts fresh = new VolumeCounts();
        counts = fresh;
        return fresh;
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        add(all, totals());
        space(all, "capacity_bytes", "Capacity in bytes of the volume", FileSystemStats::capacity);
        space(all, "available_bytes", "Number of available bytes in the volume", FileSystemStats::available);
        add(all, stats("used_bytes", "Number of used bytes in the volume", VolumeUsage::used));
        space(all, "inodes", "Maximum number of inodes in the volume", FileSystemStats::inodes);
        space(all, "inodes_free", "Number of free inodes in the volume", FileSystemStats::inodesFree);
        space(all, "inodes_used", "Number of used inodes in the volume", FileSystemStats::inodesUsed);
        add(
                all,
                stats(
                        "health_status_abnormal",
                        "Abnormal volume health status: 1 if the volume is unhealthy, 0 if it is healthy",
                        (usage, now) -> Optional.of(usage.condition() == VolumeCondition.ABNORMAL ? 1L : 0L)));
        GaugeSnapshot.Builder up = gauge("mooring_nfs_server_up", "1 if the NFS server responds, else 0");
        servers.get().forEach((server, responds) -> up.dataPoint(point(responds ? 1 : 0, Labels.of("server", server))));
        add(all, up);
        add(
                all,
                gauge("mooring_volume_operations_under_way", "Number of volume operations that are queued or running")
                        .dataPoint(point(pendingOperations.getAsInt(), Labels.EMPTY)));
        return all.build();
    }

    private GaugeSnapshot.Builder totals() {
        VolumeCounts now = counts;
        GaugeSnapshot.Builder gauge = gauge("volume_manager_total_volumes", "Number of volumes in Volume Manager");
        now.actual().forEach((plugin, count) -> gauge.dataPoint(total(plugin, "actual_state_of_world", count)));
        now.desired().forEach((plugin, count) -> gauge.dataPoint(total(plugin, "desired_state_of_world", count)));
        return gauge;
    }

    /** Returns the plugin name used in metrics: the kubelet's, which includes the CSI driver. */
    static String pluginLabel(String plugin) {
        return SourceTypes.ofPlugin(plugin).map(SourceType::metricsLabel).orElse(plugin);
    }

    private static GaugeDataPointSnapshot total(String plugin, String state, int count) {
        return point(count, Labels.of("plugin_name", pluginLabel(plugin), "state", state));
    }

    /** Adds a file system gauge; a device without a file system has a size only. */
    private void space(MetricSnapshots.Builder all, String name, String help, Function<FileSystemStats, Long> value) {
        boolean size = name.equals("capacity_bytes");
        add(all, stats(name, help, (usage, now) -> {
            if (usage.target().kind() == UsageTarget.Kind.DEVICE) {
                return Optional.of(usage.target().requestedBytes()).filter(bytes -> size && bytes > 0);
            }
            return usage.space().valueAt(now).map(each -> value.apply(each.stats()));
        }));
    }

    private GaugeSnapshot.Builder stats(
            String name, String help, BiFunction<VolumeUsage, Instant, Optional<Long>> value) {
        GaugeSnapshot.Builder gauge = gauge(STATS + name, help);
        Instant now = clock.instant();
        for (VolumeUsage each : cache.all()) {
            if (each.condition() == VolumeCondition.UNMOUNTED) {
                continue; // as in the kubelet
            }
            value.apply(each, now).ifPresent(found -> gauge.dataPoint(point(found, labels(each))));
        }
        return gauge;
    }

    private static Labels labels(VolumeUsage usage) {
        return Labels.of(
                "namespace",
                usage.target().claim().namespace().orElse(""),
                "persistentvolumeclaim",
                usage.target().claim().name());
    }

    private static GaugeSnapshot.Builder gauge(String name, String help) {
        return GaugeSnapshot.builder().name(name).help(help);
    }

    private static GaugeDataPointSnapshot point(double value, Labels labels) {
        return GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
    }

    private static void add(MetricSnapshots.Builder all, GaugeSnapshot.Builder gauge) {
        all.metricSnapshot(gauge.build());
    }
}
