package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.LabelRules;
import dev.mooring.api.rules.StatusSubresourceRules;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.rules.pod.PodTemplateRules;
import dev.mooring.model.LabelSelector;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Common rules of workloads with a selector and a template whose Pods always restart. Stateless; thread-safe.
 *
 * <p>A workload has a {@code metadata.generation}, which its controller repeats in {@code status.observedGeneration}.
 */
public abstract class WorkloadRules extends StatusSubresourceRules {
    private static final Pattern PERCENT = Pattern.compile("[0-9]+%");
    private static final String PERCENT_SYNTAX =
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%' or '93%', regex used"
                    + " for validation is '[0-9]+%')";

    private final String kind;

    /** @param kind as in messages: {@code ReplicaSet} */
    protected WorkloadRules(String kind) {
        this.kind = kind;
    }

    @Override
    public final boolean hasGeneration() {
        return true;
    }

    @Override
    public String podTemplatePath() {
        return "spec.template";
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        PodTemplateRules.applyDefaults(object, podTemplatePath());
    }

    /** Sets a number if it is missing. */
    protected static void defaultNumber(ObjectNode parent, String field, long value) {
        if (!JsonFields.has(parent, field)) {
            parent.put(field, (int) value);
        }
    }

    /** Validates the selector and the template, which Pods that always restart must have. */
    @Override
    public void validate(ObjectNode object, Violations violations) {
        validateSelector(object, violations);
        PodTemplateRules.validate(object, podTemplatePath(), violations);
        JsonNode pod = JsonFields.get(JsonFields.get(object, "spec", "template"), "spec");
        String policy = JsonFields.text(pod, "restartPolicy");
        if (!policy.equals("Always")) {
            violations.notSupported("spec.template.spec.restartPolicy", policy, List.of("Always"));
        }
        if (JsonFields.has(pod, "activeDeadlineSeconds")) {
            violations.forbidden(
                    "spec.template.spec.activeDeadlineSeconds",
                    "activeDeadlineSeconds in " + kind + " is not Supported");
        }
    }

    /** Requires a selector that is not empty and matches the labels of the template. */
    protected final void validateSelector(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        JsonNode selector = JsonFields.get(spec, "selector");
        if (selector.isMissingNode()) {
            violations.required("spec.selector", "");
            return;
        }
        int before = violations.all().size();
        LabelRules.selector(selector, "spec.selector", violations);
        if (JsonFields.get(selector, "matchLabels").isEmpty()
                && JsonFields.get(selector, "matchExpressions").isEmpty()) {
            violations.invalid(
                    "spec.selector",
                    selector,
                    "empty selector is invalid for " + kind.toLowerCase(java.util.Locale.ROOT));
        }
        if (violations.all().size() > before) {
            return;
        }
        JsonNode labels = JsonFields.get(JsonFields.get(spec, "template", "metadata"), "labels");
        if (!LabelSelector.ofObject(selector).matches(labels)) {
            violations.invalid(
                    "spec.template.metadata.labels",
                    labels.isMissingNode() ? object.objectNode() : labels,
                    "`selector` does not match template `labels`");
        }
    }

    /** Adds an error for a negative number of the spec. */
    protected static void nonNegative(ObjectNode object, String field, Violations violations) {
        nonNegative(JsonFields.get(object, "spec", field), "spec." + field, violations);
    }

    protected static void nonNegative(JsonNode number, String path, Violations violations) {
        if (number.asLong(0) < 0) {
            violations.invalid(path, LongNode.valueOf(number.asLong()), "must be greater than or equal to 0");
        }
    }

    /** Validates a number or percentage; returns false if it is invalid. */
    protected static boolean numberOrPercent(JsonNode value, String path, Violations violations) {
        if (value.isTextual() && !PERCENT.matcher(value.textValue()).matches()) {
            violations.invalid(path, TextNode.valueOf(value.textValue()), PERCENT_SYNTAX);
            return false;
        }
        nonNegative(value, path, violations);
        return value.isTextual() || value.asLong(0) >= 0;
    }

    /** Adds an error for a percentage above 100. */
    protected static void atMostHundredPercent(JsonNode value, String path, Violations violations) {
        if (value.isTextual()
                && PERCENT.matcher(value.textValue()).matches()
                && (value.textValue().length() > 5 || percentOf(value) > 100)) {
            violations.invalid(path, value, "must not be greater than 100%");
        }
    }

    /** Returns whether a valid number or percentage is zero. */
    protected static boolean isZero(JsonNode value) {
        return value.isTextual() ? percentOf(value) == 0 : value.asLong(0) == 0;
    }

    private static long percentOf(JsonNode value) {
        String digits = value.textValue().substring(0, value.textValue().length() - 1);
        return digits.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(digits);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        immutable(next, before, "selector", violations);
    }

    /** Adds an error if a field of the spec changes. */
    protected static void immutable(ObjectNode next, ObjectNode before, String field, Violations violations) {
        JsonNode value = JsonFields.get(next, "spec", field);
        if (!JsonFields.same(value, JsonFields.get(before, "spec", field))) {
            violations.invalid("spec." + field, JsonFields.valueOrNull(value), "field is immutable");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        for (var field : JsonFields.get(next, "status").properties()) {
            if (field.getValue().isNumber()) {
                nonNegative(field.getValue(), "status." + field.getKey(), violations);
            }
        }
    }
}
