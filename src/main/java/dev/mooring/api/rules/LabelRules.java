package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** Rules of labels and label selectors. Stateless; thread-safe. */
public final class LabelRules {
    private LabelRules() {}

    /** Validates a map of labels. */
    public static void labels(JsonNode labels, String path, Violations violations) {
        for (var label : labels.properties()) {
            key(label.getKey(), path, violations);
            String value = label.getValue().asText("");
            invalid(path, value, NameSyntax.labelValue(value), violations);
        }
    }

    /** Validates a label key: {@code example.com/Name}. */
    public static void key(String key, String path, Violations violations) {
        invalid(path, key, NameSyntax.qualifiedName(key), violations);
    }

    /** Validates {@code matchLabels} and {@code matchExpressions}. A missing selector is valid. */
    public static void selector(JsonNode selector, String path, Violations violations) {
        labels(JsonFields.get(selector, "matchLabels"), path + ".matchLabels", violations);
        JsonNode expressions = JsonFields.get(selector, "matchExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            requirement(expressions.get(i), path + ".matchExpressions[" + i + "]", violations);
        }
    }

    private static void requirement(JsonNode requirement, String path, Violations violations) {
        JsonNode values = JsonFields.get(requirement, "values");
        String operator = JsonFields.text(requirement, "operator");
        if (!setOperator(operator, values, path, violations)) {
            violations.invalid(path + ".operator", operator, "not a valid selector operator");
        }
        key(JsonFields.text(requirement, "key"), path + ".key", violations);
        values(values, path, violations);
    }

    /** Validates the operators that label selectors and node selectors share; returns false for any other operator. */
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
            List<String> problems = NameSyntax.labelValue(value);
            if (!problems.isEmpty()) {
                invalid(path + ".values[" + i + "]", value, problems, violations);
            }
        }
    }

    /** Adds one error per problem. */
    public static void invalid(String path, String value, List<String> problems, Violations violations) {
        for (String problem : problems) {
            violations.invalid(path, value, problem);
        }
    }
}
