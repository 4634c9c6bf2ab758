package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;
import java.util.Set;

/** Rules of Deployments. Stateless; thread-safe. */
public final class DeploymentRules extends WorkloadRules {
    private static final String ROLLING = "rollingUpdate";
    private static final String PATH = "spec.strategy.rollingUpdate.";

    public DeploymentRules() {
        super("Deployment");
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        ObjectNode spec = JsonFields.object(object, "spec");
        defaultNumber(spec, "replicas", 1);
        defaultNumber(spec, "revisionHistoryLimit", 10);
        defaultNumber(spec, "progressDeadlineSeconds", 600);
        ObjectNode strategy = JsonFields.object(spec, "strategy");
        JsonFields.defaultText(strategy, "type", "RollingUpdate");
        if (JsonFields.text(strategy, "type").equals("RollingUpdate")) {
            ObjectNode rolling = JsonFields.object(strategy, ROLLING);
            JsonFields.defaultText(rolling, "maxUnavailable", "25%");
            JsonFields.defaultText(rolling, "maxSurge", "25%");
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        nonNegative(object, "replicas", violations);
        super.validate(object, violations);
        JsonNode spec = JsonFields.get(object, "spec");
        validateStrategy(JsonFields.get(spec, "strategy"), violations);
        nonNegative(object, "minReadySeconds", violations);
        nonNegative(object, "revisionHistoryLimit", violations);
        nonNegative(object, "progressDeadlineSeconds", violations);
        JsonNode deadline = JsonFields.get(spec, "progressDeadlineSeconds");
        if (deadline.asLong(Long.MAX_VALUE)
                <= JsonFields.get(spec, "minReadySeconds").asLong(0)) {
            violations.invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds");
        }
    }

    private static void validateStrategy(JsonNode strategy, Violations violations) {
        String type = JsonFields.text(strategy, "type");
        switch (type) {
            case "Recreate" -> {
                if (JsonFields.has(strategy, ROLLING)) {
                    violations.forbidden(
                            "spec.strategy.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
                }
            }
            case "RollingUpdate" -> {
                JsonNode unavailable = JsonFields.get(strategy, ROLLING, "maxUnavailable");
                JsonNode surge = JsonFields.get(strategy, ROLLING, "maxSurge");
                boolean valid = numberOrPercent(unavailable, PATH + "maxUnavailable", violations);
                valid &= numberOrPercent(surge, PATH + "maxSurge", violations);
                if (valid && isZero(unavailable) && isZero(surge)) {
                    violations.invalid(PATH + "maxUnavailable", unavailable, "may not be 0 when `maxSurge` is 0");
                }
                atMostHundredPercent(unavailable, PATH + "maxUnavailable", violations);
            }
            default -> violations.notSupported("spec.strategy.type", type, Set.of("Recreate", "RollingUpdate"));
        }
    }
}
