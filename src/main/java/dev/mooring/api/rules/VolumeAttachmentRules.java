package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Rules of VolumeAttachments: the spec is immutable, only the status changes. Stateless; thread-safe. */
public final class VolumeAttachmentRules extends StatusSubresourceRules {
    private static final int METADATA_BYTES_MAX = 256 * 1024;
    private static final int MESSAGE_MAX = 1024;
    private static final String EITHER = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    private static final String INLINE = "spec.source.inlineVolumeSpec";
    private static final String NOT_INLINE = "may not be specified in the context of inline volumes";

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = JsonFields.get(object, "spec");
        CsiSourceRules.driverName(JsonFields.text(spec, "attacher"), "spec.attacher", violations);
        String node = JsonFields.text(spec, "nodeName");
        LabelRules.invalid("spec.nodeName", node, NameSyntax.dns1123Subdomain(node), violations);
        validateSource(JsonFields.get(spec, "source"), violations);
        validateStatus(JsonFields.get(object, "status"), violations);
    }

    private static void validateSource(JsonNode source, Violations violations) {
        boolean inline = JsonFields.has(source, "inlineVolumeSpec");
        boolean named = JsonFields.has(source, "persistentVolumeName");
        if (inline == named) {
            if (named) {
                violations.forbidden("spec.source", EITHER);
            } else {
                violations.required("spec.source", EITHER);
            }
        } else if (named) {
            String path = "spec.source.persistentVolumeName";
            String volume = JsonFields.text(source, "persistentVolumeName");
            if (volume.isEmpty()) {
                violations.required(path, "must specify non empty persistentVolumeName");
            }
            LabelRules.invalid(path, volume, NameSyntax.dns1123Subdomain(volume), violations);
        } else {
            validateInline(source.get("inlineVolumeSpec"), violations);
        }
    }

    private static void validateInline(JsonNode spec, Violations violations) {
        for (String field : List.of("claimRef", "capacity", "nodeAffinity", "storageClassName")) {
            if (JsonFields.has(spec, field)) {
                violations.forbidden(INLINE + '.' + field, NOT_INLINE);
            }
        }
        if (!JsonFields.has(spec, "csi")) {
            violations.required(INLINE + ".csi", "has to be specified in the context of inline volumes");
        }
        if (JsonFields.get(spec, "accessModes").isEmpty()) {
            violations.required(INLINE + ".accessModes", "");
        }
        AccessModeRules.accessModes(spec, INLINE, violations);
        PersistentVolumeSourceRules.validate(spec, INLINE, "", violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = JsonFields.get(next, "spec");
        if (!JsonFields.same(spec, JsonFields.get(before, "spec"))) {
            violations.invalid("spec", JsonFields.valueOrNull(spec), "field is immutable");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        validateStatus(JsonFields.get(next, "status"), violations);
    }

    private static void validateStatus(JsonNode status, Violations violations) {
        long size = 0;
        for (var each : JsonFields.get(status, "attachmentMetadata").properties()) {
            size += JsonFields.bytes(each.getKey())
                    + JsonFields.bytes(each.getValue().asText(""));
        }
        if (size > METADATA_BYTES_MAX) {
            violations.tooLong("status.attachmentMetadata", METADATA_BYTES_MAX);
        }
        for (String error : List.of("attachError", "detachError")) {
            if (JsonFields.bytes(JsonFields.text(status, error, "message")) > MESSAGE_MAX) {
                violations.tooLong("status." + error + ".message", MESSAGE_MAX);
            }
        }
    }
}
