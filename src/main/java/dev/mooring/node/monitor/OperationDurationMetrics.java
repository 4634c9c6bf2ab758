package dev.mooring.node.monitor;

import dev.mooring.node.volumemanager.Operation;
import dev.mooring.node.volumemanager.OperationObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/** Records {@code storage_operation_duration_seconds}, like the kubelet. Thread-safe. */
public final class OperationDurationMetrics implements OperationObserver {
    /** The kubelet's buckets. */
    private static final Duration[] BUCKETS = LongStream.of(
                    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 120_000, 300_000, 600_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Map<TimerKey, Timer> timers = new ConcurrentHashMap<>();

    private record TimerKey(Operation operation, String plugin, Result result) {}

    public OperationDurationMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void onOperationEnded(Operation operation, String plugin, Result result, Duration duration) {
        timers.computeIfAbsent(new TimerKey(operation, plugin, result), this::timer)
                .record(duration);
    }

    private Timer timer(TimerKey which) {
        return Timer.builder("storage.operation.duration")
                .description("Storage operation duration")
                .tag("operation_name", which.operation().text())
                .tag("volume_plugin", VolumeMetrics.pluginLabel(which.plugin()))
                .tag("status", which.result() == Result.SUCCESS ? "success" : "fail-unknown")
                .tag("migrated", "false")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
