package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Rules;
import dev.mooring.api.rules.Violations;

/** Rules of ControllerRevisions, whose data is immutable. Stateless; thread-safe. */
public final class ControllerRevisionRules implements Rules {
    @Override
    public void validate(ObjectNode object, Violations violations) {
        if (!JsonFields.has(object, "data")) {
            violations.required("data", "data is mandatory");
        }
        WorkloadRules.nonNegative(JsonFields.get(object, "revision"), "revision", violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode data = JsonFields.get(next, "data");
        if (!JsonFields.same(data, JsonFields.get(before, "data"))) {
            violations.invalid("data", JsonFields.valueOrNull(data), "field is immutable");
        }
    }
}
