package dev.mooring.node.usage;

import dev.mooring.node.usage.Usage.Condition;
import dev.mooring.volume.usage.Space;
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
 * The gauges of volumes, under the kubelet's names. Made of what is known when somebody asks, so that nothing has to be kept for thousands of
 * volumes which nobody may ever ask about, and those of a volume that is gone are gone. Thread-safe.
 */
public final class VolumeMetrics implements MultiCollector {
    private static final String STATS = "kubelet_volume_stats_";

    private final UsageBook book;
    private final Clock clock;
    private final IntSupplier underWay;
    private final Supplier<Map<String, Boolean>> servers;
    private volatile VolumeCounts counts = new VolumeCounts();

    /**
     * @param underWay how many operations on volumes are
     * @param servers of NFS, and whether they answer
     */
    public VolumeMetrics(UsageBook book, Clock clock, IntSupplier underWay, Supplier<Map<String, Boolean>> servers) {
        this.book = book;
        this.clock = clock;
        this.underWay = underWay;
        this.servers = servers;
    }

    /** Counts from the beginning, which replace all before. */
    VolumeCounts newCounts() {
        VolumeCounts fresh = new VolumeCounts();
        counts = fresh;
        return fresh;
    }

    @Override
    public MetricSnapshots collect() {
        MetricSnapshots.Builder all = MetricSnapshots.builder();
        add(all, totals());
        space(all, "capacity_bytes", "Capacity in bytes of the volume", Space::capacity);
        space(all, "available_bytes", "Number of available bytes in the volume", Space::available);
        add(all, stats("used_bytes", "Number of used bytes in the volume", Usage::used));
        space(all, "inodes", "Maximum number of inodes in the volume", Space::inodes);
        space(all, "inodes_free", "Number of free inodes in the volume", Space::inodesFree);
        space(all, "inodes_used", "Number of used inodes in the volume", Space::inodesUsed);
        add(
                all,
                stats(
                        "health_status_abnormal",
                        "Abnormal volume health status: 1 if the volume is unhealthy, 0 if it is well",
                        (usage, now) -> Optional.of(usage.condition() == Condition.ABNORMAL ? 1L : 0L)));
        GaugeSnapshot.Builder up =
                gauge("mooring_nfs_server_up", "Whether an NFS server that volumes here are of answers");
        servers.get().forEach((server, answers) -> up.dataPoint(point(answers ? 1 : 0, Labels.of("server", server))));
        add(all, up);
        add(
                all,
                gauge(
                                "mooring_volume_operations_under_way",
                                "Operations on volumes that are being done or wait for their turn")
                        .dataPoint(point(underWay.getAsInt(), Labels.EMPTY)));
        return all.build();
    }

    private GaugeSnapshot.Builder totals() {
        VolumeCounts now = counts;
        GaugeSnapshot.Builder gauge = gauge("volume_manager_total_volumes", "Number of volumes in Volume Manager");
        now.actual().forEach((plugin, count) -> gauge.dataPoint(total(plugin, "actual_state_of_world", count)));
        now.desired().forEach((plugin, count) -> gauge.dataPoint(total(plugin, "desired_state_of_world", count)));
        return gauge;
    }

    private static GaugeDataPointSnapshot total(String plugin, String state, int count) {
        return point(count, Labels.of("plugin_name", PluginLabel.of(plugin), "state", state));
    }

    /** Of the file system; a device without one has but a size. */
    private void space(MetricSnapshots.Builder all, String name, String help, Function<Space, Long> value) {
        boolean size = name.equals("capacity_bytes");
        add(all, stats(name, help, (usage, now) -> {
            if (usage.subject().kind() == Subject.Kind.DEVICE) {
                return Optional.of(usage.subject().asked()).filter(bytes -> size && bytes > 0);
            }
            return usage.space().at(now).map(each -> value.apply(each.space()));
        }));
    }

    private GaugeSnapshot.Builder stats(String name, String help, BiFunction<Usage, Instant, Optional<Long>> value) {
        GaugeSnapshot.Builder gauge = gauge(STATS + name, help);
        Instant now = clock.instant();
        for (Usage each : book.all()) {
            value.apply(each, now).ifPresent(found -> gauge.dataPoint(point(found, labels(each))));
        }
        return gauge;
    }

    private static Labels labels(Usage usage) {
        return Labels.of(
                "namespace",
                usage.subject().claim().namespace().orElse(""),
                "persistentvolumeclaim",
                usage.subject().claim().name());
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
