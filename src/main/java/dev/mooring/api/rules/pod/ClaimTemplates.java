package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.PersistentVolumeClaimRules;

/** Claims that are made together with the Pod that uses them, and go with it. Stateless. */
final class ClaimTemplates {
    private ClaimTemplates() {}

    static void ephemeral(Spot ephemeral) {
        Spot template = ephemeral.at("volumeClaimTemplate");
        if (!template.present()) {
            template.required();
            return;
        }
        metadata(template.at("metadata"));
        Spot spec = template.at("spec");
        PersistentVolumeClaimRules.validateSpec(spec.value(), spec.path(), spec.violations());
    }

    private static void metadata(Spot metadata) {
        Spelled.labels(metadata.at("labels"));
        for (Spot field : metadata.entries()) {
            String name = field.name();
            if (!name.equals("labels") && !name.equals("annotations") && isSet(field)) {
                metadata.at(name).forbidden("cannot be set");
            }
        }
    }

    private static boolean isSet(Spot field) {
        return field.value().isContainerNode()
                ? !field.value().isEmpty()
                : field.present() && !field.value().asText().isEmpty();
    }
}
