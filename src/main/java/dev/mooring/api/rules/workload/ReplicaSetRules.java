package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;

/** Rules of ReplicaSets. Stateless; thread-safe. */
public final class ReplicaSetRules extends WorkloadRules {
    public ReplicaSetRules() {
        super("ReplicaSet");
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        defaultNumber(JsonFields.object(object, "spec"), "replicas", 1);
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        nonNegative(object, "replicas", violations);
        nonNegative(object, "minReadySeconds", violations);
        super.validate(object, violations);
    }
}
