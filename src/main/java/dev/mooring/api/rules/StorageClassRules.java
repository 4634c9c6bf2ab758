package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.mooring.api.kind.Rules;
import dev.mooring.api.kind.Violations;
import dev.mooring.model.provision.ClassParameters;
import dev.mooring.model.provision.ClassParameters.Problem;
import dev.mooring.model.view.StorageNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Rules of StorageClasses: who provisions, and how, is decided once. Stateless; any thread. */
public final class StorageClassRules implements Rules {
    private static final int PARAMETERS_MAX = 512;
    private static final int PARAMETER_BYTES_MAX = 256 * 1024;
    private static final Set<String> RECLAIM_POLICIES = Set.of("Delete", "Retain");
    private static final Set<String> BINDING_MODES = Set.of("Immediate", "WaitForFirstConsumer");

    @Override
    public void applyDefaults(ObjectNode object) {
        if (!Fields.has(object, "reclaimPolicy")) {
            object.put("reclaimPolicy", "Delete");
        }
        if (!Fields.has(object, "volumeBindingMode")) {
            object.put("volumeBindingMode", "Immediate");
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        String provisioner = Fields.text(object, "provisioner");
        if (provisioner.isEmpty()) {
            violations.required("provisioner", "");
        } else {
            LabelRules.invalid(
                    "provisioner", provisioner, Names.qualifiedName(provisioner.toLowerCase(Locale.ROOT)), violations);
        }
        validateParameters(Fields.get(object, "parameters"), violations);
        String policy = Fields.text(object, "reclaimPolicy");
        if (!policy.isEmpty() && !RECLAIM_POLICIES.contains(policy)) {
            violations.notSupported("reclaimPolicy", policy, RECLAIM_POLICIES);
        }
        if (!Fields.has(object, "volumeBindingMode")) {
            violations.required("volumeBindingMode", "");
        } else if (!BINDING_MODES.contains(Fields.text(object, "volumeBindingMode"))) {
            violations.notSupported("volumeBindingMode", Fields.text(object, "volumeBindingMode"), BINDING_MODES);
        }
        validateTopologies(Fields.get(object, "allowedTopologies"), violations);
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
            size += Fields.bytes(parameter.getKey())
                    + Fields.bytes(parameter.getValue().asText(""));
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
        JsonNode expressions = Fields.get(term, "matchLabelExpressions");
        for (int i = 0; i < expressions.size(); i++) {
            String at = path + '[' + i + ']';
            String key = Fields.text(expressions.get(i), "key");
            JsonNode values = Fields.get(expressions.get(i), "values");
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

    /** What a provisioner of Mooring's own cannot do anything with is refused here, not when the first claim waits for it. */
    @Override
    public void validateCreate(ObjectNode object, Violations violations) {
        String provisioner = Fields.text(object, "provisioner");
        if (!provisioner.startsWith(StorageNames.OUR_PROVISIONERS)) {
            return;
        }
        if (!ClassParameters.isKnownProvisioner(provisioner)) {
            violations.invalid("provisioner", provisioner, ClassParameters.unknownProvisioner(provisioner));
        }
        Map<String, String> parameters = new LinkedHashMap<>();
        for (var each : Fields.get(object, "parameters").properties()) {
            parameters.put(each.getKey(), each.getValue().asText(""));
        }
        for (Problem problem :
                ClassParameters.problems(provisioner, parameters, Fields.text(object, "reclaimPolicy"))) {
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
                    "volumeBindingMode", Fields.shown(Fields.get(next, "volumeBindingMode")), "field is immutable");
        }
    }

    /** A parameter with an empty value is a parameter: only having none at all is as good as nothing. */
    private static boolean same(String field, ObjectNode next, ObjectNode before) {
        JsonNode now = Fields.get(next, field);
        JsonNode was = Fields.get(before, field);
        return now.equals(was) || (isNothing(now) && isNothing(was));
    }

    private static boolean isNothing(JsonNode value) {
        return value.isMissingNode() || (value.isContainerNode() && value.isEmpty());
    }
}
