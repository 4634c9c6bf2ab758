package dev.mooring.api.http;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Renders all metrics as text and holds the API's own metrics. Survives restarts of the verticle, and so do its
 * counters. Thread-safe.
 */
public final class ApiMetrics {
    static final String TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

    private static final String EVICTED = "mooring.http.connections.evicted";

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

    /** Reports the connections of a Vert.x instance; repeated calls after a restart of the verticle have no effect. */
    void observe(AnonymousConnections anonymous) {
        if (meters.find(EVICTED).functionCounter() == null) {
            FunctionCounter.builder(EVICTED, anonymous, AnonymousConnections::evicted)
                    .description("Connections without a valid token that were closed in favour of new ones")
                    .register(meters);
        }
    }

    void connectionOpened() {
        connections.incrementAndGet();
    }

    void connectionClosed() {
        connections.decrementAndGet();
    }

    /** Returns all metrics in Prometheus text format. Takes milliseconds; must not run on an event loop. */
    synchronized String scrape() {
        if (!runtimeBound) {
            bindRuntime();
            runtimeBound = true;
        }
        return meters.scrape(TEXT_FORMAT);
    }

    /** Binds JVM and process metrics at the first scrape, because binding them at startup would slow the start. */
    @SuppressWarnings("resource") // the listeners are never removed
    private void bindRuntime() {
        new JvmMemoryMetrics().bindTo(meters);
        new JvmGcMetrics().bindTo(meters);
        new JvmThreadMetrics().bindTo(meters);
        new ClassLoaderMetrics().bindTo(meters);
        new ProcessorMetrics().bindTo(meters);
        ProcessMetrics.builder().register(meters.getPrometheusRegistry());
    }
}
