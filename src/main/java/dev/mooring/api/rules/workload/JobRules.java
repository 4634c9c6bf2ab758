package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.rules.pod.PodTemplateRules;
import dev.mooring.model.view.Job;
import java.util.List;
import java.util.Map;

/** Rules of Jobs, with Kubernetes' messages. Stateless; thread-safe. */
public final class JobRules extends WorkloadRules {
    private static final int MAX_INDEXES = 100_000;

    /** Fields that Mooring does not act on, and what to use instead. */
    private static final Map<String, String> REFUSED = Map.of(
            "podFailurePolicy", "every failed Pod counts for backoffLimit; remove the field",
            "successPolicy", "every index must succeed; remove the field",
            "backoffLimitPerIndex", "use backoffLimit, which counts the failed Pods of all indexes",
            "maxFailedIndexes", "use backoffLimit, which counts the failed Pods of all indexes",
            "managedBy", "the server's own controller runs all Jobs; remove the field");

    /** Fields of a Pod that may change before a suspended Job starts. */
    private static final List<String> SCHEDULING =
            List.of("affinity", "nodeSelector", "tolerations", "schedulingGates");

    public JobRules() {
        super("Job");
    }

    @Override
    public void prepareForCreate(ObjectNode object) {
        super.prepareForCreate(object);
        Job.generateSelector(object);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        specDefaults(JsonFields.object(object, "spec"));
    }

    /** Sets the defaults of a Job, except those of its template. */
    static void specDefaults(ObjectNode spec) {
        if (!JsonFields.has(spec, "completions") && !JsonFields.has(spec, "parallelism")) {
            spec.put("completions", 1);
        }
        defaultNumber(spec, "parallelism", 1);
        defaultNumber(spec, "backoffLimit", 6);
        JsonFields.defaultText(spec, "completionMode", "NonIndexed");
        JsonFields.defaultText(spec, "podReplacementPolicy", "TerminatingOrFailed");
        if (!JsonFields.has(spec, "suspend")) {
            spec.put("suspend", false);
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        if (!JsonFields.isTrue(spec, "manualSelector")
                && JsonFields.has(spec, "selector")
                && !Job.hasGeneratedSelector(object)) {
            violations.invalid("spec.selector", JsonFields.get(spec, "selector"), "`selector` not auto-generated");
        } else {
            validateSelector(object, violations);
        }
        spec(object, "spec", violations);
    }

    /**
     * Validates a Job, except its selector.
     *
     * @param path of the spec
     */
    static void spec(ObjectNode object, String path, Violations violations) {
        JsonNode spec = object.at('/' + path.replace('.', '/'));
        for (String field : List.of(
                "parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished")) {
            nonNegative(JsonFields.get(spec, field), path + '.' + field, violations);
        }
        oneOf(spec, "completionMode", path, List.of("Indexed", "NonIndexed"), violations);
        oneOf(spec, "podReplacementPolicy", path, List.of("Failed", "TerminatingOrFailed"), violations);
        if (JsonFields.text(spec, "completionMode").equals("Indexed")) {
            indexed(spec, path, violations);
        }
        REFUSED.keySet().stream()
                .sorted()
                .filter(field -> JsonFields.has(spec, field))
                .forEach(field -> {
                    violations.forbidden(
                            path + '.' + field, "Mooring does not support this field: " + REFUSED.get(field));
                });
        PodTemplateRules.validate(object, path + ".template", violations);
        String policy = JsonFields.text(JsonFields.get(spec, "template", "spec"), "restartPolicy");
        if (policy.isEmpty() || policy.equals("Always")) {
            violations.required(path + ".template.spec.restartPolicy", "valid values: \"OnFailure\", \"Never\"");
        }
    }

    private static void indexed(JsonNode spec, String path, Violations violations) {
        if (!JsonFields.has(spec, "completions")) {
            violations.required(path + ".completions", "when completion mode is Indexed");
        }
        for (String field : List.of("completions", "parallelism")) {
            long value = JsonFields.get(spec, field).asLong(0);
            if (value > MAX_INDEXES) {
                violations.invalid(
                        path + '.' + field,
                        LongNode.valueOf(value),
                        "must be less than or equal to " + MAX_INDEXES + " when completion mode is Indexed");
            }
        }
    }

    private static void oneOf(JsonNode spec, String field, String path, List<String> values, Violations violations) {
        String value = JsonFields.text(spec, field);
        if (!value.isEmpty() && !values.contains(value)) {
            violations.notSupported(path + '.' + field, value, values);
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        for (String field : List.of("completions", "selector", "completionMode", "podReplacementPolicy")) {
            immutable(next, before, field, violations);
        }
        boolean notStarted = JsonFields.isTrue(JsonFields.get(before, "spec"), "suspend")
                && JsonFields.text(before, "status", "startTime").isEmpty();
        JsonNode template = JsonFields.get(next, "spec", "template");
        JsonNode was = JsonFields.get(before, "spec", "template");
        if (!JsonFields.same(fixed(template, notStarted), fixed(was, notStarted))) {
            violations.invalid("spec.template", template, "field is immutable");
        }
    }

    /** Returns the part of a template that cannot change. */
    private static JsonNode fixed(JsonNode template, boolean notStarted) {
        JsonNode fixed = template.deepCopy();
        if (notStarted && fixed instanceof ObjectNode object) {
            object.remove("metadata");
            JsonFields.object(object, "spec").remove(SCHEDULING);
        }
        return fixed;
    }
}
