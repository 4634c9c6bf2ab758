package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.model.Quantity;
import java.util.HashMap;
import java.util.Map;

/** The QoS class of a Pod, which decides the order of eviction under resource pressure. */
enum QosClass {
    GUARANTEED("Guaranteed"),
    BURSTABLE("Burstable"),
    BEST_EFFORT("BestEffort");

    private static final String[] COUNTED = {"cpu", "memory"};

    private final String text;

    QosClass(String text) {
        this.text = text;
    }

    /** Returns the value of {@code status.qosClass}. */
    String text() {
        return text;
    }

    static QosClass of(JsonNode spec) {
        Sums sums = new Sums();
        JsonNode ofPod = JsonFields.get(spec, "resources");
        if (!JsonFields.get(ofPod, "limits").isEmpty()
                || !JsonFields.get(ofPod, "requests").isEmpty()) {
            sums.add(ofPod);
        } else {
            JsonFields.get(spec, "containers").forEach(container -> sums.add(JsonFields.get(container, "resources")));
            JsonFields.get(spec, "initContainers")
                    .forEach(container -> sums.add(JsonFields.get(container, "resources")));
        }
        if (sums.requests.isEmpty() && sums.limits.isEmpty()) {
            return BEST_EFFORT;
        }
        return sums.allLimited && sums.requests.equals(sums.limits) ? GUARANTEED : BURSTABLE;
    }

    private static final class Sums {
        private final Map<String, Quantity> requests = new HashMap<>();
        private final Map<String, Quantity> limits = new HashMap<>();
        private boolean allLimited = true;

        private void add(JsonNode resources) {
            JsonNode limited = JsonFields.get(resources, "limits");
            JsonNode requested = JsonFields.get(resources, "requests");
            for (String name : COUNTED) {
                Quantity limit = QuantityRules.parse(limited.path(name));
                // A limit without a request is also the request.
                Quantity request = requested.has(name) ? QuantityRules.parse(requested.path(name)) : limit;
                allLimited &= limit.signum() > 0;
                if (limit.signum() > 0) {
                    limits.merge(name, limit, Quantity::plus);
                }
                if (request.signum() > 0) {
                    requests.merge(name, request, Quantity::plus);
                }
            }
        }
    }
}
