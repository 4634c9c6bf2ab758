package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.JsonFields;
import dev.mooring.api.rules.PersistentVolumeClaimRules;

/** Defaults of volumes. Stateless. */
final class VolumeDefaults {
    /** Default mode of files in volumes. */
    private static final int FILE_MODE = 0644;

    private static final int AN_HOUR = 3600;

    private VolumeDefaults() {}

    static void apply(ObjectNode volume) {
        if (PodVolumeSourceRule.ALL.stream().noneMatch(source -> volume.hasNonNull(source.field()))) {
            volume.putObject("emptyDir");
            return;
        }
        TreeDefaults.with(volume, "hostPath", hostPath -> TreeDefaults.text(hostPath, "type", ""));
        TreeDefaults.with(volume, "secret", VolumeDefaults::fileMode);
        TreeDefaults.with(volume, "configMap", VolumeDefaults::fileMode);
        TreeDefaults.with(volume, "downwardAPI", downward -> {
            fileMode(downward);
            TreeDefaults.withEach(downward, "items", ContainerDefaults::reference);
        });
        TreeDefaults.with(volume, "projected", VolumeDefaults::projected);
        TreeDefaults.with(volume, "iscsi", iscsi -> JsonFields.defaultText(iscsi, "iscsiInterface", "default"));
        TreeDefaults.with(volume, "rbd", VolumeDefaults::rbd);
        TreeDefaults.with(volume, "azureDisk", VolumeDefaults::azureDisk);
        TreeDefaults.with(volume, "scaleIO", scaleIo -> {
            JsonFields.defaultText(scaleIo, "storageMode", "ThinProvisioned");
            JsonFields.defaultText(scaleIo, "fsType", "xfs");
        });
        TreeDefaults.with(
                volume,
                "ephemeral",
                ephemeral -> TreeDefaults.with(
                        ephemeral,
                        "volumeClaimTemplate",
                        template -> PersistentVolumeClaimRules.defaultSpec(JsonFields.object(template, "spec"))));
        TreeDefaults.with(
                volume,
                "image",
                image -> JsonFields.defaultText(
                        image, "pullPolicy", ContainerDefaults.pullPolicy(JsonFields.text(image, "reference"))));
    }

    private static void fileMode(ObjectNode source) {
        TreeDefaults.number(source, "defaultMode", FILE_MODE);
    }

    private static void projected(ObjectNode projected) {
        fileMode(projected);
        TreeDefaults.withEach(projected, "sources", source -> {
            TreeDefaults.with(
                    source,
                    "downwardAPI",
                    downward -> TreeDefaults.withEach(downward, "items", ContainerDefaults::reference));
            TreeDefaults.with(
                    source, "serviceAccountToken", token -> TreeDefaults.number(token, "expirationSeconds", AN_HOUR));
        });
    }

    private static void rbd(ObjectNode rbd) {
        JsonFields.defaultText(rbd, "pool", "rbd");
        JsonFields.defaultText(rbd, "user", "admin");
        JsonFields.defaultText(rbd, "keyring", "/etc/ceph/keyring");
    }

    private static void azureDisk(ObjectNode disk) {
        TreeDefaults.text(disk, "cachingMode", "ReadWrite");
        TreeDefaults.text(disk, "kind", "Shared");
        TreeDefaults.text(disk, "fsType", "ext4");
        if (TreeDefaults.lacks(disk, "readOnly")) {
            disk.put("readOnly", false);
        }
    }
}
