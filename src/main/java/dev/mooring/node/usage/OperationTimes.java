package dev.mooring.node.usage;

import dev.mooring.node.reconcile.Operation;
import dev.mooring.node.reconcile.OperationObserver;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/** {@code storage_operation_duration_seconds}, as the kubelet has it. Thread-safe. */
public final class OperationTimes implements OperationObserver {
    /** The kubelet's. */
    private static final Duration[] BUCKETS = LongStream.of(
                    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 25_000, 50_000, 120_000, 300_000, 600_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Map<Which, Timer> timers = new ConcurrentHashMap<>();

    private record Which(Operation operation, String plugin, Result result) {}

    public OperationTimes(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void ended(Operation operation, String plugin, Result result, Duration duration) {
        timers.computeIfAbsent(new Which(operation, plugin, result), this::timer)
                .record(duration);
    }

    private Timer timer(Which which) {
        return Timer.builder("storage.operation.duration")
                .description("Storage operation duration")
                .tag("operation_name", which.operation().text())
                .tag("volume_plugin", PluginLabel.of(which.plugin()))
                .tag("status", which.result() == Result.SUCCESS ? "success" : "fail-unknown")
                .tag("migrated", "false")
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
