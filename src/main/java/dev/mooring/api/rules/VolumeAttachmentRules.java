package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.kind.Violations;
import java.util.List;

/** Rules of VolumeAttachments: what is attached where never changes, only whether it is. Stateless; any thread. */
public final class VolumeAttachmentRules extends SeparateStatus {
    private static final int METADATA_BYTES_MAX = 256 * 1024;
    private static final int MESSAGE_MAX = 1024;
    private static final String EITHER = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    private static final String INLINE = "spec.source.inlineVolumeSpec";
    private static final String NOT_INLINE = "may not be specified in the context of inline volumes";

    @Override
    public void validate(ObjectNode object, Violations violations) {
        JsonNode spec = Fields.get(object, "spec");
        CsiSource.driverName(Fields.text(spec, "attacher"), "spec.attacher", violations);
        String node = Fields.text(spec, "nodeName");
        LabelRules.invalid("spec.nodeName", node, Names.dns1123Subdomain(node), violations);
        validateSource(Fields.get(spec, "source"), violations);
        validateStatus(Fields.get(object, "status"), violations);
    }

    private static void validateSource(JsonNode source, Violations violations) {
        boolean inline = Fields.has(source, "inlineVolumeSpec");
        boolean named = Fields.has(source, "persistentVolumeName");
        if (inline == named) {
            if (named) {
                violations.forbidden("spec.source", EITHER);
            } else {
                violations.required("spec.source", EITHER);
            }
        } else if (named) {
            String path = "spec.source.persistentVolumeName";
            String volume = Fields.text(source, "persistentVolumeName");
            if (volume.isEmpty()) {
                violations.required(path, "must specify non empty persistentVolumeName");
            }
            LabelRules.invalid(path, volume, Names.dns1123Subdomain(volume), violations);
        } else {
            validateInline(source.get("inlineVolumeSpec"), violations);
        }
    }

    private static void validateInline(JsonNode spec, Violations violations) {
        for (String field : List.of("claimRef", "capacity", "nodeAffinity", "storageClassName")) {
            if (Fields.has(spec, field)) {
                violations.forbidden(INLINE + '.' + field, NOT_INLINE);
            }
        }
        if (!Fields.has(spec, "csi")) {
            violations.required(INLINE + ".csi", "has to be specified in the context of inline volumes");
        }
        if (Fields.get(spec, "accessModes").isEmpty()) {
            violations.required(INLINE + ".accessModes", "");
        }
        AccessModeRules.accessModes(spec, INLINE, violations);
        VolumeSources.validate(spec, INLINE, "", violations);
    }

    @Override
    public void validateUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        JsonNode spec = Fields.get(next, "spec");
        if (!Fields.same(spec, Fields.get(before, "spec"))) {
            violations.invalid("spec", Fields.shown(spec), "field is immutable");
        }
    }

    @Override
    public void validateStatusUpdate(ObjectNode next, ObjectNode before, Violations violations) {
        validateStatus(Fields.get(next, "status"), violations);
    }

    private static void validateStatus(JsonNode status, Violations violations) {
        long size = 0;
        for (var each : Fields.get(status, "attachmentMetadata").properties()) {
            size += Fields.bytes(each.getKey()) + Fields.bytes(each.getValue().asText(""));
        }
        if (size > METADATA_BYTES_MAX) {
            violations.tooLong("status.attachmentMetadata", METADATA_BYTES_MAX);
        }
        for (String error : List.of("attachError", "detachError")) {
            if (Fields.bytes(Fields.text(status, error, "message")) > MESSAGE_MAX) {
                violations.tooLong("status." + error + ".message", MESSAGE_MAX);
            }
        }
    }
}
