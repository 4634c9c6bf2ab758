package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.rules.pod.PodTemplateRules;

/** Rules of ReplicationControllers, whose selector is a map. Stateless; thread-safe. */
public final class ReplicationControllerRules extends WorkloadRules {
    public ReplicationControllerRules() {
        super("ReplicationController");
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        super.applyDefaults(object);
        ObjectNode spec = JsonFields.object(object, "spec");
        defaultNumber(spec, "replicas", 1);
        JsonNode labels = JsonFields.get(JsonFields.get(spec, "template", "metadata"), "labels");
        if (JsonFields.get(spec, "selector").isEmpty() && !labels.isEmpty()) {
            spec.set("selector", labels.deepCopy());
        }
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        nonNegative(object, "replicas", violations);
        nonNegative(object, "minReadySeconds", violations);
        JsonNode spec = JsonFields.get(object, "spec");
        JsonNode labels = JsonFields.get(JsonFields.get(spec, "template", "metadata"), "labels");
        JsonNode selector = JsonFields.get(spec, "selector");
        if (selector.isEmpty()) {
            violations.required("spec.selector", "");
        } else if (!selector.properties().stream()
                .allMatch(each -> each.getValue().equals(labels.get(each.getKey())))) {
            violations.invalid(
                    "spec.template.metadata.labels",
                    labels.isMissingNode() ? object.objectNode() : labels,
                    "`selector` does not match template `labels`");
        }
        PodTemplateRules.validate(object, podTemplatePath(), violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        // All fields may change.
    }
}
