package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Violations;
import java.util.List;

/** What labels, and selectors of labels, may say. Stateless; any thread. */
public final class LabelRules {
    private LabelRules() {}

    /** A map of labels. */
    public static void labels(JsonNode labels, String path, Violations violations) {
        for (var label : labels.properties()) {
            key(label.getKey(), path, violations);
            String value = label.getValue().asText("");
            invalid(path, value, Names.labelValue(value), violations);
        }
    }

    /** A key of a label: {@code example.com/Name}. */
    public static void key(String key, String path, Violations violations) {
        invalid(path, key, Names.qualifiedName(key), violations);
    }

    /** {@code matchLabels} and {@code matchExpressions}. A missing selector is right. */
    public static void selector(JsonNode selector, String path, Violations violations) {
        labels(Fields.get(selector, "matchLabels"), path + ".matchLabels", violations);
        JsonNode expressions = Fields.get(selector, "matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            requirement(expressions.get(i), path + ".matchExpressions[" + i + "]", violations);
        }
    }

    private static void requirement(JsonNode requirement, String path, Violations violations) {
        JsonNode values = Fields.get(requirement, "values");
        String operator = Fields.text(requirement, "operator");
        if (!setOperator(operator, values, path, violations)) {
            violations.invalid(path + ".operator", operator, "not a valid selector operator");
        }
        key(Fields.text(requirement, "key"), path + ".key", violations);
        values(values, path, violations);
    }

    /** Checks the operators that label selectors and node selectors share; false if it is none of them. */
    static boolean setOperator(String operator, JsonNode values, String path, Violations violations) {
        switch (operator) {
            case "In", "NotIn" -> {
                if (values.isEmpty()) {
                    violations.required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
                }
                return true;
            }
            case "Exists", "DoesNotExist" -> {
                if (!values.isEmpty()) {
                    violations.forbidden(
                            path + ".values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
                }
                return true;
            }
            default -> {
                return false;
            }
        }
    }

    static void values(JsonNode values, String path, Violations violations) {
        for (int i = 0; i < values.size(); i++) {
            String value = values.get(i).asText("");
            List<String> problems = Names.labelValue(value);
            if (!problems.isEmpty()) {
                invalid(path + ".values[" + i + "]", value, problems, violations);
            }
        }
    }

    /** One violation for each problem. */
    public static void invalid(String path, String value, List<String> problems, Violations violations) {
        for (String problem : problems) {
            violations.invalid(path, value, problem);
        }
    }
}
