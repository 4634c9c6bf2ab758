package dev.mooring.control;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The {@code mooring_controller_*} metrics of one controller. Counters continue when the controller restarts. */
final class ControllerMetrics implements AutoCloseable {
    private static final String CONTROLLER = "controller";

    private final MeterRegistry registry;
    private final AtomicInteger length = new AtomicInteger();
    private final Gauge queue;
    private final Counter reconciles;
    private final Counter errors;
    private final Counter conflicts;
    private final Timer lag;

    ControllerMetrics(MeterRegistry registry, String controller) {
        this.registry = registry;
        queue = Gauge.builder("mooring.controller.queue", length, AtomicInteger::get)
                .description("Keys that are ready or being reconciled")
                .tag(CONTROLLER, controller)
                .strongReference(true)
                .register(registry);
        reconciles = counter("mooring.controller.reconciles", "Reconciled keys", controller);
        errors = counter(
                "mooring.controller.errors",
                "Keys or changes for which the controller failed or the ledger refused its proposal",
                controller);
        conflicts = counter(
                "mooring.controller.conflicts", "Keys whose proposals conflicted with another write", controller);
        lag = Timer.builder("mooring.controller.lag")
                .description("Time from when a key was due until it was reconciled")
                .tag(CONTROLLER, controller)
                .register(registry);
    }

    private Counter counter(String name, String description, String controller) {
        return Counter.builder(name)
                .description(description)
                .tag(CONTROLLER, controller)
                .register(registry);
    }

    void setQueueLength(int keys) {
        length.set(keys);
    }

    void recordReconcile(Duration wait) {
        reconciles.increment();
        lag.record(wait);
    }

    void recordConflict() {
        conflicts.increment();
    }

    void recordError() {
        errors.increment();
    }

    /** Removes the gauge; a successor could not register its own otherwise. */
    @Override
    public void close() {
        registry.remove(queue);
    }
}
