package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.NameSyntax;
import dev.mooring.api.rules.PersistentVolumeClaimRules;
import dev.mooring.api.rules.Violations;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rules of StatefulSets. Unlike Kubernetes, they also validate the templates of claims, so that an invalid one is refused
 * at once and not when the first Pod is created. Stateless; thread-safe.
 */
public final class StatefulSetRules extends WorkloadRules {
    private static final List<String> RETENTION = List.of("Retain", "Delete");
    private static final Set<String> CHANGEABLE = Set.of(
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds");

    public StatefulSetRules() {
        super("StatefulSet");
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        ObjectNode spec = JsonFields.object(object, "spec");
        defaultNumber(spec, "replicas", 1);
        defaultNumber(spec, "revisionHistoryLimit", 10);
        JsonFields.defaultText(spec, "podManagementPolicy", "OrderedReady");
        ObjectNode strategy = JsonFields.object(spec, "updateStrategy");
        JsonFields.defaultText(strategy, "type", "RollingUpdate");
        if (JsonFields.text(strategy, "type").equals("RollingUpdate")) {
            defaultNumber(JsonFields.object(strategy, "rollingUpdate"), "partition", 0);
        }
        ObjectNode retention = JsonFields.object(spec, "persistentVolumeClaimRetentionPolicy");
        JsonFields.defaultText(retention, "whenDeleted", "Retain");
        JsonFields.defaultText(retention, "whenScaled", "Retain");
        for (JsonNode each : JsonFields.get(spec, "volumeClaimTemplates")) {
            if (each instanceof ObjectNode claim) {
                claim.put("kind", "PersistentVolumeClaim").put("apiVersion", "v1");
                JsonFields.object(claim, "metadata").remove(List.of("creationTimestamp"));
                PersistentVolumeClaimRules.defaultSpec(JsonFields.object(claim, "spec"));
                JsonFields.object(claim, "status").put("phase", "Pending");
            }
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        String policy = JsonFields.text(spec, "podManagementPolicy");
        if (!policy.equals("OrderedReady") && !policy.equals("Parallel")) {
            violations.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
        }
        validateStrategy(JsonFields.get(spec, "updateStrategy"), violations);
        for (String field : List.of("whenDeleted", "whenScaled")) {
            String value = JsonFields.text(JsonFields.get(spec, "persistentVolumeClaimRetentionPolicy"), field);
            if (!RETENTION.contains(value)) {
                violations.notSupported("spec.persistentVolumeClaimRetentionPolicy." + field, value, RETENTION);
            }
        }
        nonNegative(object, "replicas", violations);
        nonNegative(object, "minReadySeconds", violations);
        nonNegative(object, "revisionHistoryLimit", violations);
        nonNegative(JsonFields.get(spec, "ordinals", "start"), "spec.ordinals.start", violations);
        super.validate(withClaimVolumes(object), violations);
        validateClaims(JsonFields.get(spec, "volumeClaimTemplates"), violations);
    }

    /** Returns the object with the volumes of its claims in the template, which its containers may mount. */
    private static ObjectNode withClaimVolumes(ObjectNode object) {
        JsonNode claims = JsonFields.get(object, "spec", "volumeClaimTemplates");
        if (claims.isEmpty() || !(object.at("/spec/template/spec") instanceof ObjectNode)) {
            return object;
        }
        ObjectNode copy = object.deepCopy();
        ObjectNode pod = (ObjectNode) copy.at("/spec/template/spec");
        Set<String> names = new HashSet<>();
        ArrayNode volumes = pod.get("volumes") instanceof ArrayNode given ? given : pod.putArray("volumes");
        volumes.forEach(each -> names.add(JsonFields.text(each, "name")));
        for (JsonNode claim : claims) {
            String name = JsonFields.text(claim, "metadata", "name");
            if (!name.isEmpty() && names.add(name)) {
                volumes.addObject()
                        .put("name", name)
                        .putObject("persistentVolumeClaim")
                        .put("claimName", name);
            }
        }
        return copy;
    }

    private static void validateStrategy(JsonNode strategy, Violations violations) {
        JsonNode rolling = JsonFields.get(strategy, "rollingUpdate");
        switch (JsonFields.text(strategy, "type")) {
            case "OnDelete" -> {
                if (!rolling.isMissingNode()) {
                    violations.invalid(
                            "spec.updateStrategy.rollingUpdate",
                            rolling,
                            "only allowed for updateStrategy 'RollingUpdate'");
                }
            }
            case "RollingUpdate" ->
                nonNegative(
                        JsonFields.get(rolling, "partition"),
                        "spec.updateStrategy.rollingUpdate.partition",
                        violations);
            default -> violations.invalid("spec.updateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'");
        }
    }

    private static void validateClaims(JsonNode claims, Violations violations) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < claims.size(); i++) {
            String path = "spec.volumeClaimTemplates[" + i + ']';
            String name = JsonFields.text(claims.get(i), "metadata", "name");
            if (name.isEmpty()) {
                violations.required(path + ".metadata.name", "");
            } else {
                NameSyntax.dns1123Label(name)
                        .forEach(problem -> violations.invalid(path + ".metadata.name", name, problem));
                if (!names.add(name)) {
                    violations.duplicate(
                            path + ".metadata.name",
                            claims.get(i).path("metadata").get("name"));
                }
            }
            PersistentVolumeClaimRules.validateSpec(JsonFields.get(claims.get(i), "spec"), path + ".spec", violations);
        }
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = JsonFields.get(next, "spec");
        JsonNode was = JsonFields.get(before, "spec");
        Set<String> fields = new HashSet<>();
        spec.fieldNames().forEachRemaining(fields::add);
        was.fieldNames().forEachRemaining(fields::add);
        for (String field : fields) {
            if (!CHANGEABLE.contains(field)
                    && !JsonFields.same(JsonFields.get(spec, field), JsonFields.get(was, field))) {
                violations.forbidden(
                        "spec",
                        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template',"
                            + " 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and"
                            + " 'minReadySeconds' are forbidden");
                return;
            }
        }
    }
}
