package dev.mooring.node.probe;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Optional;

/**
 * A probe of a container, with Kubernetes' defaults applied. Immutable.
 *
 * @param handler the probe as in the spec; one of its fields selects the handler type
 */
record ProbeSpec(
        ProbeKind kind,
        JsonNode handler,
        Duration initialDelay,
        Duration period,
        Duration timeout,
        int successThreshold,
        int failureThreshold) {

    static Optional<ProbeSpec> of(JsonNode container, ProbeKind kind) {
        JsonNode probe = container.path(kind.field());
        if (!probe.isObject()) {
            return Optional.empty();
        }
        return Optional.of(new ProbeSpec(
                kind,
                probe,
                Duration.ofSeconds(Math.max(0, probe.path("initialDelaySeconds").asInt(0))),
                Duration.ofSeconds(positive(probe, "periodSeconds", 10)),
                Duration.ofSeconds(positive(probe, "timeoutSeconds", 1)),
                positive(probe, "successThreshold", 1),
                positive(probe, "failureThreshold", 3)));
    }

    static boolean has(JsonNode container, ProbeKind kind) {
        return container.path(kind.field()).isObject();
    }

    private static int positive(JsonNode probe, String field, int otherwise) {
        int value = probe.path(field).asInt(0);
        return value > 0 ? value : otherwise;
    }
}
