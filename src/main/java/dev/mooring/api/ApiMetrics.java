package dev.mooring.api;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/** All metrics as text, and those of the API itself. Outlives the verticle, so that counts survive its restarts. Thread-safe. */
public final class ApiMetrics {
    static final String TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry meters;
    private final AtomicInteger connections = new AtomicInteger();
    private boolean runtimeBound;

    public ApiMetrics(PrometheusMeterRegistry meters) {
        this.meters = meters;
        Gauge.builder("mooring.http.connections", connections, AtomicInteger::get)
                .description("Open connections to the API")
                .strongReference(true)
                .register(meters);
    }

    /** Returns how many are open now. */
    int connectionOpened() {
        return connections.incrementAndGet();
    }

    void connectionClosed() {
        connections.decrementAndGet();
    }

    /** Takes milliseconds: not for an event loop. */
    synchronized String scrape() {
        if (!runtimeBound) {
            bindRuntime();
            runtimeBound = true;
        }
        return meters.scrape(TEXT_FORMAT);
    }

    /** With the first scrape, not at start: a server that nobody scrapes starts faster. */
    @SuppressWarnings("resource") // the listeners live as long as the process
    private void bindRuntime() {
        new JvmMemoryMetrics().bindTo(meters);
        new JvmGcMetrics().bindTo(meters);
        new JvmThreadMetrics().bindTo(meters);
        new ClassLoaderMetrics().bindTo(meters);
        new ProcessorMetrics().bindTo(meters);
        new FileDescriptorMetrics().bindTo(meters);
        new UptimeMetrics().bindTo(meters);
    }
}
