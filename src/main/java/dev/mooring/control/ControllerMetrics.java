package dev.mooring.control;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** {@code mooring_controller_*} of one controller. The counts go on when it is started again. */
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
                .description("Keys that are due or being worked on")
                .tag(CONTROLLER, controller)
                .strongReference(true)
                .register(registry);
        reconciles = counter("mooring.controller.reconciles", "Keys looked at", controller);
        errors = counter(
                "mooring.controller.errors",
                "Keys or changes on which the controller threw or was refused",
                controller);
        conflicts = counter("mooring.controller.conflicts", "Keys on which somebody else was faster", controller);
        lag = Timer.builder("mooring.controller.lag")
                .description("How long a key was due before it was looked at")
                .tag(CONTROLLER, controller)
                .register(registry);
    }

    private Counter counter(String name, String description, String controller) {
        return Counter.builder(name)
                .description(description)
                .tag(CONTROLLER, controller)
                .register(registry);
    }

    void queued(int keys) {
        length.set(keys);
    }

    void reconciled(Duration wait) {
        reconciles.increment();
        lag.record(wait);
    }

    void conflicted() {
        conflicts.increment();
    }

    void failed() {
        errors.increment();
    }

    /** The gauge of a successor would not be taken while this one's is there. */
    @Override
    public void close() {
        registry.remove(queue);
    }
}
