package dev.mooring.api.rules.workload;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Rules;
import dev.mooring.api.rules.Violations;
import dev.mooring.api.rules.pod.PodTemplateRules;

/** Rules of the kind PodTemplate. Stateless; thread-safe. */
public final class PodTemplateObjectRules implements Rules {
    @Override
    public String podTemplatePath() {
        return "template";
    }

    @Override
    public void applyDefaults(ObjectNode object) {
        PodTemplateRules.applyDefaults(object, podTemplatePath());
    }

    @Override
    public void validate(ObjectNode object, Violations violations) {
        PodTemplateRules.validate(object, podTemplatePath(), violations);
    }
}
