package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Quantity;
import java.util.List;
import java.util.Set;

/** Rules of ResourceQuotas, with Kubernetes' messages. Scopes are refused. Stateless; thread-safe. */
public final class ResourceQuotaRules extends StatusSubresourceRules {
    private static final Set<String> COUNTS = Set.of(
            "pods",
            "services",
            "replicationcontrollers",
            "resourcequotas",
            "secrets",
            "configmaps",
            "persistentvolumeclaims",
            "services.nodeports",
            "services.loadbalancers");
    private static final Set<String> AMOUNTS = Set.of(
            "cpu",
            "memory",
            "ephemeral-storage",
            "requests.cpu",
            "requests.memory",
            "requests.storage",
            "requests.ephemeral-storage",
            "limits.cpu",
            "limits.memory",
            "limits.ephemeral-storage");

    /** A resource of Kubernetes that a quota cannot limit. */
    private static final String STORAGE = "storage";

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        hard(JsonFields.get(spec, "hard"), "spec.hard", violations);
        for (String field : List.of("scopes", "scopeSelector")) {
            if (!JsonFields.get(spec, field).isEmpty()) {
                violations.forbidden(
                        "spec." + field,
                        "Mooring does not support scopes, the limits apply to all objects of the namespace; remove the"
                                + " field");
            }
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode status = JsonFields.get(next, "status");
        hard(JsonFields.get(status, "hard"), "status.hard", violations);
        hard(JsonFields.get(status, "used"), "status.used", violations);
    }

    private static void hard(JsonNode amounts, String path, Violations violations) {
        for (var each : amounts.properties()) {
            String name = each.getKey();
            String at = path + '[' + name + ']';
            name(name, at, violations);
            QuantityRules.notNegative(each.getValue(), at, violations);
            Quantity amount = QuantityRules.parse(each.getValue());
            if (COUNTS.contains(name) && amount.milliValue() % 1000 != 0) {
                violations.invalid(at, amount.canonical(), "must be an integer");
            }
        }
    }

    private static void name(String name, String at, Violations violations) {
        List<String> problems = NameSyntax.qualifiedName(name);
        LabelRules.invalid(at, name, problems, violations);
        if (name.contains("/") || COUNTS.contains(name) || AMOUNTS.contains(name)) {
            return;
        }
        if (problems.isEmpty() && !name.equals(STORAGE)) {
            violations.invalid(at, name, "must be a standard resource type or fully qualified");
        }
        violations.invalid(at, name, "must be a standard resource for quota");
    }
}
