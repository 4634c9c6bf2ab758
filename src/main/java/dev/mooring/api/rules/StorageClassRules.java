package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.model.view.ClassParameters;
import dev.mooring.model.view.ClassParameters.Problem;
import dev.mooring.model.view.StorageNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Rules of StorageClasses: provisioner and parameters are immutable. Stateless; thread-safe. */
public final class StorageClassRules implements Rules {
    private static final int PARAMETERS_MAX = 512;
    private static final int PARAMETER_BYTES_MAX = 256 * 1024;
    private static final Set<String> RECLAIM_POLICIES = Set.of("Delete", "Retain");
    private static final Set<String> BINDING_MODES = Set.of("Immediate", "WaitForFirstConsumer");

    @Override
    public void applyDefaults(ObjectNode object) {
        if (!JsonFields.has(object, "reclaimPolicy")) {
            object.put("reclaimPolicy", "Delete");
        }
        if (!JsonFields.has(object, "volumeBindingMode")) {
            object.put("volumeBindingMode", "Immediate");
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        String provisioner = JsonFields.text(object, "provisioner");
        if (provisioner.isEmpty()) {
            violations.required("provisioner", "");
        } else {
            LabelRules.invalid(
                    "provisioner",
                    provisioner,
                    NameSyntax.qualifiedName(provisioner.toLowerCase(Locale.ROOT)),
                    violations);
        }
        validateParameters(JsonFields.get(object, "parameters"), violations);
        String policy = JsonFields.text(object, "reclaimPolicy");
        if (!policy.isEmpty() && !RECLAIM_POLICIES.contains(policy)) {
            violations.notSupported("reclaimPolicy", policy, RECLAIM_POLICIES);
        }
        if (!JsonFields.has(object, "volumeBindingMode")) {
            violations.required("volumeBindingMode", "");
        } else if (!BINDING_MODES.contains(JsonFields.text(object, "volumeBindingMode"))) {
            violations.notSupported("volumeBindingMode", JsonFields.text(object, "volumeBindingMode"), BINDING_MODES);
        }
        validateTopologies(JsonFields.get(object, "allowedTopologies"), violations);
    }

    private static void validateParameters(JsonNode parameters, Violations violations) {
        if (parameters.size() > PARAMETERS_MAX) {
            violations.tooLong("parameters", PARAMETERS_MAX);
            return;
        }
        long size = 0;
        for (var parameter : parameters.properties()) {
            if (parameter.getKey().isEmpty()) {
                violations.invalid("parameters", "", "field can not be empty.");
            }
            size += JsonFields.bytes(parameter.getKey())
                    + JsonFields.bytes(parameter.getValue().asText(""));
        }
        if (size > PARAMETER_BYTES_MAX) {
            violations.tooLong("parameters", PARAMETER_BYTES_MAX);
        }
    }

    private static void validateTopologies(JsonNode terms, Violations violations) {
        List<Map<String, Set<String>>> seen = new ArrayList<>();
        for (int i = 0; i < terms.size(); i++) {
            String path = "allowedTopologies[" + i + "].matchLabelExpressions";
            Map<String, Set<String>> term = term(terms.get(i), path, violations);
            if (seen.contains(term)) {
                violations.duplicate(path, TextNode.valueOf(""));
            }
            seen.add(term);
        }
    }

    private static Map<String, Set<String>> term(JsonNode term, String path, Violations violations) {
        Map<String, Set<String>> found = new HashMap<>();
        JsonNode expressions = JsonFields.get(term, "matchLabelExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            String at = path + '[' + i + ']';
            String key = JsonFields.text(expressions.get(i), "key");
            JsonNode values = JsonFields.get(expressions.get(i), "values");
            if (values.isEmpty()) {
                violations.required(at + ".values", "");
            }
            Set<String> distinct = new HashSet<>();
            for (int j = 0; j < values.size(); j++) {
                if (!distinct.add(values.get(j).asText(""))) {
                    violations.duplicate(at + ".values[" + j + ']', values.get(j));
                }
            }
            LabelRules.key(key, at + ".key", violations);
            if (found.put(key, distinct) != null) {
                violations.duplicate(at + ".key", TextNode.valueOf(key));
            }
        }
        return found;
    }

    /** Rejects parameters that Mooring's own provisioners do not support, instead of failing at the first claim. */
    @Override
    public void validateCreate(ObjectNode object, Violations violations) {
        String provisioner = JsonFields.text(object, "provisioner");
        if (!provisioner.startsWith(StorageNames.MOORING_PROVISIONER_PREFIX)) {
            return;
        }
        if (!ClassParameters.isKnownProvisioner(provisioner)) {
            violations.invalid("provisioner", provisioner, ClassParameters.unknownProvisioner(provisioner));
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (var each : JsonFields.get(object, "parameters").properties()) {
            parameters.put(each.getKey(), each.getValue().asText(""));
        }
        for (Problem problem :
                ClassParameters.problems(provisioner, parameters, JsonFields.text(object, "reclaimPolicy"))) {
            violations.invalid("parameters[" + problem.key() + ']', problem.value(), problem.message());
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        for (String field : List.of("parameters", "provisioner", "reclaimPolicy")) {
            if (!same(field, next, before)) {
                violations.forbidden(field, "updates to " + field + " are forbidden.");
            }
        }
        if (!same("volumeBindingMode", next, before)) {
            violations.invalid(
                    "volumeBindingMode",
                    JsonFields.valueOrNull(JsonFields.get(next, "volumeBindingMode")),
                    "field is immutable");
        }
    }

    /**
     * Returns whether a field is unchanged. An empty parameter value counts; only an empty map equals an absent one.
     */
    private static boolean same(String field, ObjectNode next, ObjectNode before) {
        JsonNode now = JsonFields.get(next, field);
        JsonNode was = JsonFields.get(before, field);
        return now.equals(was) || (isNothing(now) && isNothing(was));
    }

    private static boolean isNothing(JsonNode value) {
        return value.isMissingNode() || (value.isContainerNode() && value.isEmpty());
    }
}
