package dev.mooring.api.table;

import static dev.mooring.api.table.ColumnFields.UNSET;
import static dev.mooring.api.table.ColumnFields.at;
import static dev.mooring.api.table.ColumnFields.isPresent;
import static dev.mooring.api.table.ColumnFields.presentOr;
import static dev.mooring.api.table.ColumnFields.text;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.api.table.UsageSource.Used;
import dev.mooring.api.types.Column;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Columns of volumes, claims, classes and attachments. */
final class StorageColumns {
    static final List<Column> PERSISTENT_VOLUME = ColumnListBuilder.withName()
            .text("Capacity", "Capacity of the volume.", (pv, now) -> presentOr("0", pv, "spec", "capacity", "storage"))
            .text(
                    "Access Modes",
                    "Access modes of the volume.",
                    (pv, now) -> AccessModeAbbreviations.abbreviate(at(pv, "spec", "accessModes")))
            .text(
                    "Reclaim Policy",
                    "What happens to the volume when its claim is deleted.",
                    (pv, now) -> text(pv, "spec", "persistentVolumeReclaimPolicy"))
            .text("Status", "Phase of the volume.", (pv, now) -> ColumnFields.phase(pv))
            .text("Claim", "The claim that the volume is bound to or reserved for.", (pv, now) -> claim(pv))
            .text("StorageClass", "The StorageClass the volume belongs to.", (pv, now) -> storageClass(pv))
            .text(
                    "VolumeAttributesClass",
                    "The VolumeAttributesClass the volume belongs to.",
                    (pv, now) -> attributesClass(pv))
            .text("Reason", "Reason why the volume failed.", (pv, now) -> text(pv, "status", "reason"))
            .age()
            .wide("VolumeMode", "Whether the volume is a filesystem or a raw block device.", (pv, now) -> mode(pv))
            .build();

    static final List<Column> PERSISTENT_VOLUME_CLAIM = ColumnListBuilder.withName()
            .text("Status", "Phase of the claim.", (pvc, now) -> ColumnFields.phase(pvc))
            .text("Volume", "The volume the claim is bound to.", (pvc, now) -> text(pvc, "spec", "volumeName"))
            .text("Capacity", "Capacity of the bound volume.", (pvc, now) -> boundCapacity(pvc))
            .text(
                    "Access Modes",
                    "Access modes of the bound volume.",
                    (pvc, now) -> namesVolume(pvc)
                            ? AccessModeAbbreviations.abbreviate(at(pvc, "status", "accessModes"))
                            : "")
            .text("StorageClass", "The StorageClass of the claim.", (pvc, now) -> storageClass(pvc))
            .text(
                    "VolumeAttributesClass",
                    "The VolumeAttributesClass of the claim.",
                    (pvc, now) -> attributesClass(pvc))
            .age()
            .wide("VolumeMode", "Whether the claim is for a filesystem or a raw block device.", (pvc, now) -> mode(pvc))
            .build();

    static final List<Column> STORAGE_CLASS = ColumnListBuilder.withName(
                    (sc, now) -> isDefault(sc) ? ColumnFields.name(sc) + " (default)" : ColumnFields.name(sc))
            .text("Provisioner", "The provisioner of the class.", (sc, now) -> text(sc, "provisioner"))
            .text(
                    "ReclaimPolicy",
                    "What happens to provisioned volumes when their claim is deleted.",
                    (sc, now) -> presentOr("Delete", sc, "reclaimPolicy"))
            .text(
                    "VolumeBindingMode",
                    "Whether claims are bound immediately or when a Pod uses them.",
                    (sc, now) -> presentOr("Immediate", sc, "volumeBindingMode"))
            .text(
                    "AllowVolumeExpansion",
                    "Whether claims of this class can be expanded.",
                    (sc, now) -> at(sc, "allowVolumeExpansion").asBoolean(false))
            .age()
            .build();

    static final List<Column> VOLUME_ATTACHMENT = ColumnListBuilder.withName()
            .text("Attacher", "The attacher of the volume.", (va, now) -> text(va, "spec", "attacher"))
            .text("PV", "The volume to attach.", (va, now) -> text(va, "spec", "source", "persistentVolumeName"))
            .text("Node", "The node to attach it to.", (va, now) -> text(va, "spec", "nodeName"))
            .yesNo(
                    "Attached",
                    "Whether the volume is attached.",
                    (va, now) -> at(va, "status", "attached").asBoolean(false))
            .age()
            .build();

    private StorageColumns() {}

    /** Returns the columns of claims, with the usage, which Kubernetes does not have. */
    static List<Column> claims(UsageSource usage) {
        List<Column> columns = new ArrayList<>(PERSISTENT_VOLUME_CLAIM);
        columns.addAll(ColumnListBuilder.withoutName()
                .wide("Used", "Used space of the mounted volume.", new UsageCell(usage))
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

    /** Returns the capacity; Kubernetes shows a missing quantity as 0. */
    private static String boundCapacity(JsonNode pvc) {
        return namesVolume(pvc) ? presentOr("0", pvc, "status", "capacity", "storage") : "";
    }

    /** Returns the class; the annotation is older than the field and takes precedence. */
    private static String storageClass(JsonNode object) {
        JsonNode annotations = at(object, "metadata", "annotations");
        return isPresent(annotations, "volume.beta.kubernetes.io/storage-class")
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

    /** Abbreviates access modes, each once, in Kubernetes' order: {@code RWO,ROX,RWX,RWOP}. */
    private static final class AccessModeAbbreviations {
        private static final String[] MODES = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"};
        private static final String[] SHORT = {"RWO", "ROX", "RWX", "RWOP"};

        private AccessModeAbbreviations() {}

        static String abbreviate(JsonNode modes) {
            if (modes.size() == 1) {
                int only = indexOf(modes.get(0).asText());
                return only < 0 ? "" : SHORT[only];
            }
            int seen = 0;
            for (JsonNode mode : modes) {
                int index = indexOf(mode.asText());
                seen |= index < 0 ? 0 : 1 << index;
            }
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < SHORT.length; i++) {
                if ((seen & 1 << i) != 0) {
                    text.append(text.isEmpty() ? "" : ",").append(SHORT[i]);
                }
            }
            return text.toString();
        }

        private static int indexOf(String mode) {
            for (int i = 0; i < MODES.length; i++) {
                if (MODES[i].equals(mode)) {
                    return i;
                }
            }
            return -1;
        }
    }

    /** The usage of a claim. Immutable. */
    private record UsageCell(UsageSource usage) implements TableWriter.OptionalCell {
        private static final String UNKNOWN = "<unknown>";

        /** Age from which a value is shown with its age. */
        private static final Duration OLD = Duration.ofMinutes(20);

        @Override
        public boolean isNeverKnown() {
            return usage.isEmpty();
        }

        @Override
        public boolean isKnown(JsonNode claim) {
            return used(claim).isPresent();
        }

        @Override
        public Object of(JsonNode claim, Instant now) {
            return used(claim).map(used -> text(used, now)).orElse(UNKNOWN);
        }

        private static String text(Used used, Instant now) {
            Duration age = Duration.between(used.measured(), now);
            return age.compareTo(OLD) < 0 ? used.text() : used.text() + ", " + AgeFormat.human(age) + " ago";
        }

        private Optional<Used> used(JsonNode claim) {
            String namespace = ColumnFields.text(claim, "metadata", "namespace");
            String name = ColumnFields.name(claim);
            return namespace.isEmpty() || name.isEmpty() ? Optional.empty() : usage.of(namespace, name);
        }
    }
}
