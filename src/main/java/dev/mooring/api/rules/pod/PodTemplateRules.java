package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.LabelRules;
import dev.mooring.api.rules.MetadataRules;
import dev.mooring.api.rules.Violations;
import java.util.List;

/**
 * Rules of the template of Pods in a workload: those of a Pod, with the template's path in
 * messages. Stateless; thread-safe.
 */
public final class PodTemplateRules {
    private PodTemplateRules() {}

    /**
     * Sets the defaults of a Pod in the template of a workload.
     *
     * @param path of the template: {@code spec.template}
     */
    public static void applyDefaults(ObjectNode workload, String path) {
        ObjectNode template = workload;
        for (String field : path.split("\\.", -1)) {
            template = JsonFields.object(template, field);
        }
        JsonFields.object(template, "metadata").remove(List.of("creationTimestamp"));
        PodDefaults.apply(template);
    }

    /** Validates the template of a workload. */
    public static void validate(ObjectNode workload, String path, Violations violations) {
        FieldCursor template = FieldCursor.root(workload, violations);
        for (String field : path.split("\\.", -1)) {
            template = template.at(field);
        }
        if (!template.present()) {
            template.required();
            return;
        }
        LabelRules.labels(template.at("metadata").at("labels").value(), template.path() + ".labels", violations);
        MetadataRules.annotations(
                template.at("metadata").at("annotations").value(), template.path() + ".annotations", violations);
        PodSpecRules.check(template);
        if (template.at("spec").size("ephemeralContainers") > 0) {
            template.at("spec").at("ephemeralContainers").forbidden("ephemeral containers not allowed in pod template");
        }
    }
}
