package dev.mooring.server;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Metrics of one verticle: {@code mooring_verticle_up}, {@code mooring_verticle_restarts_total} and
 * {@code mooring_verticle_deaths_in_a_row}.
 */
final class ChildMetrics {
    private final AtomicInteger up = new AtomicInteger();
    private final AtomicInteger deaths = new AtomicInteger();
    private final Counter restarts;

    ChildMetrics(MeterRegistry meters, String verticle) {
        Gauge.builder("mooring.verticle.up", up, AtomicInteger::get)
                .description("1 if the verticle is up, else 0")
                .tag("verticle", verticle)
                .strongReference(true)
                .register(meters);
        Gauge.builder("mooring.verticle.deaths.in.a.row", deaths, AtomicInteger::get)
                .description("Number of consecutive deaths of the verticle without a healthy period")
                .tag("verticle", verticle)
                .strongReference(true)
                .register(meters);
        restarts = Counter.builder("mooring.verticle.restarts")
                .description("Number of restarts of the verticle after it died")
                .tag("verticle", verticle)
                .register(meters);
    }

    void up() {
        up.set(1);
    }

    void down() {
        up.set(0);
    }

    void deathsInARow(int count) {
        deaths.set(count);
    }

    void restarted() {
        restarts.increment();
    }

    long restarts() {
        return (long) restarts.count();
    }
}
