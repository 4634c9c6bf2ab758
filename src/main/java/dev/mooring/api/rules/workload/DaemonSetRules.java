package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;
import java.util.List;

/** Rules of DaemonSets. Stateless; thread-safe. */
public final class DaemonSetRules extends WorkloadRules {
    private static final String PATH = "spec.updateStrategy.rollingUpdate.";

    public DaemonSetRules() {
        super("DaemonSet");
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        ObjectNode spec = JsonFields.object(object, "spec");
        defaultNumber(spec, "revisionHistoryLimit", 10);
        ObjectNode strategy = JsonFields.object(spec, "updateStrategy");
        JsonFields.defaultText(strategy, "type", "RollingUpdate");
        if (JsonFields.text(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = JsonFields.object(strategy, "rollingUpdate");
            defaultNumber(rolling, "maxUnavailable", 1);
            defaultNumber(rolling, "maxSurge", 0);
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        super.validate(object, violations);
        nonNegative(object, "minReadySeconds", violations);
        JsonNode strategy = JsonFields.get(object, "spec", "updateStrategy");
        String type = JsonFields.text(strategy, "type");
        switch (type) {
            case "OnDelete" -> {
                // has no limits
            }
            case "RollingUpdate" -> validateLimits(JsonFields.get(strategy, "rollingUpdate"), violations);
            default -> violations.notSupported("spec.updateStrategy.type", type, List.of("RollingUpdate", "OnDelete"));
        }
        nonNegative(object, "revisionHistoryLimit", violations);
    }

    private static void validateLimits(JsonNode rolling, Violations violations) {
        JsonNode unavailable = JsonFields.get(rolling, "maxUnavailable");
        JsonNode surge = JsonFields.get(rolling, "maxSurge");
        boolean valid = numberOrPercent(unavailable, PATH + "maxUnavailable", violations);
        valid &= numberOrPercent(surge, PATH + "maxSurge", violations);
        atMostHundredPercent(unavailable, PATH + "maxUnavailable", violations);
        if (valid && !isZero(surge)) {
            violations.forbidden(
                    PATH + "maxSurge",
                    "Mooring on Docker cannot run two Pods of a DaemonSet on a node: use maxUnavailable");
        } else if (valid && isZero(unavailable)) {
            violations.required(PATH + "maxUnavailable", "cannot be 0 when maxSurge is 0");
        }
    }
}
