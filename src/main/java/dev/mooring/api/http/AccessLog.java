package dev.mooring.api.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts responses by method and code, and logs each at debug level: method, path and code, but never a query, header
 * or body, which may contain secrets. Thread-safe.
 */
public final class AccessLog {
    private static final Logger LOG = LoggerFactory.getLogger("dev.mooring.api.access");

    private final MeterRegistry meters;
    private final Map<String, Counter> counters = new ConcurrentHashMap<>();

    AccessLog(MeterRegistry meters) {
        this.meters = meters;
    }

    void recordResponse(HttpServerRequest request, int code) {
        String method = method(request);
        Counter counter = counters.get(method + code);
        if (counter == null) {
            counter = counters.computeIfAbsent(method + code, unused -> register(method, code));
        }
        counter.increment();
        if (LOG.isDebugEnabled()) {
            LOG.debug("{} {} {}", request.method(), request.path(), code);
        }
    }

    /** Returns a known method name; clients can send arbitrary ones, which would create unbounded metric series. */
    private static String method(HttpServerRequest request) {
        String name = request.method().name();
        return switch (name) {
            case "GET", "POST", "PUT", "PATCH", "DELETE" -> name;
            default -> "OTHER";
        };
    }

    private Counter register(String method, int code) {
        return Counter.builder("mooring.http.answers")
                .description("Requests answered on resources and documents")
                .tag("method", method)
                .tag("code", Integer.toString(code))
                .register(meters);
    }
}
