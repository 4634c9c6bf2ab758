package dev.mooring.api.table;

import static dev.mooring.api.table.Fields.UNSET;
import static dev.mooring.api.table.Fields.at;
import static dev.mooring.api.table.Fields.isThere;
import static dev.mooring.api.table.Fields.presentOr;
import static dev.mooring.api.table.Fields.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.kind.Column;
import java.util.ArrayList;
import java.util.List;

/** Volumes, claims, classes and attachments. */
final class StorageColumns {
    static final List<Column> PERSISTENT_VOLUME = ColumnList.named()
            .text(
                    "Capacity",
                    "How much the volume holds.",
                    (pv, now) -> presentOr("0", pv, "spec", "capacity", "storage"))
            .text(
                    "Access Modes",
                    "The ways in which the volume can be mounted.",
                    (pv, now) -> AccessModes.inShort(at(pv, "spec", "accessModes")))
            .text(
                    "Reclaim Policy",
                    "What becomes of the volume once its claim is gone.",
                    (pv, now) -> text(pv, "spec", "persistentVolumeReclaimPolicy"))
            .text("Status", "Where the volume is in its life.", (pv, now) -> Fields.phase(pv))
            .text("Claim", "The claim the volume is bound to, or kept for.", (pv, now) -> claim(pv))
            .text("StorageClass", "The StorageClass the volume belongs to.", (pv, now) -> storageClass(pv))
            .text(
                    "VolumeAttributesClass",
                    "The VolumeAttributesClass the volume belongs to.",
                    (pv, now) -> attributesClass(pv))
            .text("Reason", "One word on why the volume failed.", (pv, now) -> text(pv, "status", "reason"))
            .age()
            .wide("VolumeMode", "Whether the volume is a filesystem or a raw block device.", (pv, now) -> mode(pv))
            .build();

    static final List<Column> PERSISTENT_VOLUME_CLAIM = ColumnList.named()
            .text("Status", "Where the claim is in its life.", (pvc, now) -> Fields.phase(pvc))
            .text("Volume", "The volume the claim is bound to.", (pvc, now) -> text(pvc, "spec", "volumeName"))
            .text("Capacity", "How much the bound volume holds.", (pvc, now) -> boundCapacity(pvc))
            .text(
                    "Access Modes",
                    "The ways in which the bound volume can be mounted.",
                    (pvc, now) -> namesVolume(pvc) ? AccessModes.inShort(at(pvc, "status", "accessModes")) : "")
            .text("StorageClass", "The StorageClass the claim asks for.", (pvc, now) -> storageClass(pvc))
            .text(
                    "VolumeAttributesClass",
                    "The VolumeAttributesClass the claim asks for.",
                    (pvc, now) -> attributesClass(pvc))
            .age()
            .wide("VolumeMode", "Whether a filesystem or a raw block device is asked for.", (pvc, now) -> mode(pvc))
            .build();

    static final List<Column> STORAGE_CLASS = ColumnList.named(
                    (sc, now) -> isDefault(sc) ? Fields.name(sc) + " (default)" : Fields.name(sc))
            .text("Provisioner", "Who makes volumes of this class.", (sc, now) -> text(sc, "provisioner"))
            .text(
                    "ReclaimPolicy",
                    "What becomes of volumes made for this class once their claim is gone.",
                    (sc, now) -> presentOr("Delete", sc, "reclaimPolicy"))
            .text(
                    "VolumeBindingMode",
                    "Whether claims are bound at once or when a Pod needs them.",
                    (sc, now) -> presentOr("Immediate", sc, "volumeBindingMode"))
            .text(
                    "AllowVolumeExpansion",
                    "Whether claims of this class may grow.",
                    (sc, now) -> at(sc, "allowVolumeExpansion").asBoolean(false))
            .age()
            .build();

    static final List<Column> VOLUME_ATTACHMENT = ColumnList.named()
            .text("Attacher", "Who attaches the volume.", (va, now) -> text(va, "spec", "attacher"))
            .text("PV", "The volume to attach.", (va, now) -> text(va, "spec", "source", "persistentVolumeName"))
            .text("Node", "The node to attach it to.", (va, now) -> text(va, "spec", "nodeName"))
            .yesNo(
                    "Attached",
                    "Whether the volume is attached.",
                    (va, now) -> at(va, "status", "attached").asBoolean(false))
            .age()
            .build();

    private StorageColumns() {}

    /** Claims, with what Kubernetes does not tell. */
    static List<Column> claims(UsageSource usage) {
        List<Column> columns = new ArrayList<>(PERSISTENT_VOLUME_CLAIM);
        columns.addAll(ColumnList.unnamed()
                .wide("Used", "How much of the volume is in use, where it is mounted.", new UsedCell(usage))
                .build());
        return List.copyOf(columns);
    }

    private static String claim(JsonNode pv) {
        JsonNode claim = at(pv, "spec", "claimRef");
        return claim.isObject() ? text(claim, "namespace") + "/" + text(claim, "name") : "";
    }

    private static boolean namesVolume(JsonNode pvc) {
        return !text(pvc, "spec", "volumeName").isEmpty();
    }

    /** Kubernetes shows a quantity of nothing as 0. */
    private static String boundCapacity(JsonNode pvc) {
        return namesVolume(pvc) ? presentOr("0", pvc, "status", "capacity", "storage") : "";
    }

    /** The annotation is older than the field and wins over it. */
    private static String storageClass(JsonNode object) {
        JsonNode annotations = at(object, "metadata", "annotations");
        return isThere(annotations, "volume.beta.kubernetes.io/storage-class")
                ? text(annotations, "volume.beta.kubernetes.io/storage-class")
                : text(object, "spec", "storageClassName");
    }

    private static String attributesClass(JsonNode object) {
        return presentOr(UNSET, object, "spec", "volumeAttributesClassName");
    }

    private static String mode(JsonNode object) {
        return presentOr(UNSET, object, "spec", "volumeMode");
    }

    private static boolean isDefault(JsonNode storageClass) {
        JsonNode annotations = at(storageClass, "metadata", "annotations");
        return "true".equals(text(annotations, "storageclass.kubernetes.io/is-default-class"))
                || "true".equals(text(annotations, "storageclass.beta.kubernetes.io/is-default-class"));
    }
}
