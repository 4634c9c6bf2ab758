package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.rules.Fields;
import dev.mooring.api.rules.QuantityRules;
import dev.mooring.model.Quantity;
import java.util.HashMap;
import java.util.Map;

/** How firmly a Pod is promised what it asks for: by this a machine in need chooses what it ends first. */
enum QosClass {
    GUARANTEED("Guaranteed"),
    BURSTABLE("Burstable"),
    BEST_EFFORT("BestEffort");

    private static final String[] COUNTED = {"cpu", "memory"};

    private final String text;

    QosClass(String text) {
        this.text = text;
    }

    /** As it stands in {@code status.qosClass}. */
    String text() {
        return text;
    }

    static QosClass of(JsonNode spec) {
        Sums sums = new Sums();
        JsonNode ofPod = Fields.get(spec, "resources");
        if (!Fields.get(ofPod, "limits").isEmpty()
                || !Fields.get(ofPod, "requests").isEmpty()) {
            sums.add(ofPod);
        } else {
            Fields.get(spec, "containers").forEach(container -> sums.add(Fields.get(container, "resources")));
            Fields.get(spec, "initContainers").forEach(container -> sums.add(Fields.get(container, "resources")));
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
            JsonNode limited = Fields.get(resources, "limits");
            JsonNode requested = Fields.get(resources, "requests");
            for (String name : COUNTED) {
                Quantity limit = QuantityRules.read(limited.path(name));
                // Whoever limits and does not ask asks for the limit.
                Quantity request = requested.has(name) ? QuantityRules.read(requested.path(name)) : limit;
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
