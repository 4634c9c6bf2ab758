package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Rules of Leases. Stateless; thread-safe. */
public final class LeaseRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        JsonNode duration = JsonFields.get(spec, "leaseDurationSeconds");
        if (!duration.isMissingNode() && duration.asLong() <= 0) {
            violations.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
        }
        JsonNode transitions = JsonFields.get(spec, "leaseTransitions");
        if (transitions.asLong(0) < 0) {
            violations.invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0");
        }
    }
}
