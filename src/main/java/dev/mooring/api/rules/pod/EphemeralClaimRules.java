package dev.mooring.api.rules.pod;

import dev.mooring.api.rules.PersistentVolumeClaimRules;

/** Rules of ephemeral claims, which are created and deleted together with their Pod. Stateless. */
final class EphemeralClaimRules {
    private EphemeralClaimRules() {}

    static void ephemeral(FieldCursor ephemeral) {
        FieldCursor template = ephemeral.at("volumeClaimTemplate");
        if (!template.present()) {
            template.required();
            return;
        }
        metadata(template.at("metadata"));
        FieldCursor spec = template.at("spec");
        PersistentVolumeClaimRules.validateSpec(spec.value(), spec.path(), spec.violations());
    }

    private static void metadata(FieldCursor metadata) {
        NameValidation.labels(metadata.at("labels"));
        for (FieldCursor field : metadata.entries()) {
            String name = field.name();
            if (!name.equals("labels") && !name.equals("annotations") && isSet(field)) {
                metadata.at(name).forbidden("cannot be set");
            }
        }
    }

    private static boolean isSet(FieldCursor field) {
        return field.value().isContainerNode()
                ? !field.value().isEmpty()
                : field.present() && !field.value().asText().isEmpty();
    }
}
