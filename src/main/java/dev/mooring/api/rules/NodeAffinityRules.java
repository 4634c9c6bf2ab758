package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** Rules of node affinity, of a volume or of a Pod. Stateless; thread-safe. */
public final class NodeAffinityRules {
    private NodeAffinityRules() {}

    /** Validates {@code spec.nodeAffinity} of a volume, where {@code required} is mandatory. */
    public static void ofVolume(JsonNode affinity, String path, Violations violations) {
        if (JsonFields.has(affinity, "required")) {
            nodeSelector(JsonFields.get(affinity, "required"), path + ".required", violations);
        } else {
            violations.required(path + ".required", "must specify required node constraints");
        }
    }

    /** Validates {@code spec.affinity.nodeAffinity} of a Pod. */
    public static void ofPod(JsonNode affinity, String path, Violations violations) {
        JsonNode required = JsonFields.get(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
        if (!required.isMissingNode()) {
            nodeSelector(required, path + ".requiredDuringSchedulingIgnoredDuringExecution", violations);
        }
        JsonNode preferred = JsonFields.get(affinity, "preferredDuringSchedulingIgnoredDuringExecution");
        for (int i = 0; i < preferred.size(); i++) {
            String at = path + ".preferredDuringSchedulingIgnoredDuringExecution[" + i + "]";
            JsonNode weight = JsonFields.get(preferred.get(i), "weight");
            if (weight.asInt(0) <= 0 || weight.asInt(0) > 100) {
                violations.invalid(at + ".weight", JsonFields.valueOrNull(weight), "must be in the range 1-100");
            }
            term(JsonFields.get(preferred.get(i), "preference"), at + ".preference", violations);
        }
    }

    /** Validates {@code nodeSelectorTerms}, which must have at least one term. */
    public static void nodeSelector(JsonNode selector, String path, Violations violations) {
        JsonNode terms = JsonFields.get(selector, "nodeSelectorTerms");
        if (terms.isEmpty()) {
            violations.required(path + ".nodeSelectorTerms", "must have at least one node selector term");
        }
        for (int i = 0; i < terms.size(); i++) {
            term(terms.get(i), path + ".nodeSelectorTerms[" + i + "]", violations);
        }
    }

    private static void term(JsonNode term, String path, Violations violations) {
        JsonNode expressions = JsonFields.get(term, "matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            expression(expressions.get(i), path + ".matchExpressions[" + i + "]", violations);
        }
        JsonNode fields = JsonFields.get(term, "matchFields");
        for (int i = 0; i < fields.size(); i++) {
            field(fields.get(i), path + ".matchFields[" + i + "]", violations);
        }
    }

    private static void expression(JsonNode expression, String path, Violations violations) {
        String operator = JsonFields.text(expression, "operator");
        JsonNode values = JsonFields.get(expression, "values");
        if (operator.equals("Gt") || operator.equals("Lt")) {
            if (values.size() != 1) {
                violations.required(path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
            }
        } else if (!LabelRules.setOperator(operator, values, path, violations)) {
            violations.invalid(path + ".operator", operator, "not a valid selector operator");
        }
        LabelRules.key(JsonFields.text(expression, "key"), path + ".key", violations);
        LabelRules.values(values, path, violations);
    }

    private static void field(JsonNode field, String path, Violations violations) {
        String operator = JsonFields.text(field, "operator");
        JsonNode values = JsonFields.get(field, "values");
        if (!operator.equals("In") && !operator.equals("NotIn")) {
            violations.invalid(path + ".operator", operator, "not a valid selector operator");
        } else if (values.size() != 1) {
            violations.required(
                    path + ".values",
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
        String key = JsonFields.text(field, "key");
        if (!key.equals("metadata.name")) {
            violations.invalid(path + ".key", key, "not a valid field selector key");
            return;
        }
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i).asText("");
            LabelRules.invalid(path + ".values[" + i + "]", value, NameSyntax.dns1123Subdomain(value), violations);
        }
    }
}
