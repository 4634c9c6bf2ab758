package dev.mooring.api.rules.pod;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.api.rules.Fields;
import dev.mooring.api.rules.PersistentVolumeClaimRules;

/** What a volume is when its writer left it out. Stateless. */
final class VolumeDefaults {
    /** Read and write for the owner, read for all others. */
    private static final int FILE_MODE = 0644;

    private static final int AN_HOUR = 3600;

    private VolumeDefaults() {}

    static void apply(ObjectNode volume) {
        if (VolumeSource.ALL.stream().noneMatch(source -> volume.hasNonNull(source.field()))) {
            volume.putObject("emptyDir");
            return;
        }
        Trees.with(volume, "hostPath", hostPath -> Trees.text(hostPath, "type", ""));
        Trees.with(volume, "secret", VolumeDefaults::fileMode);
        Trees.with(volume, "configMap", VolumeDefaults::fileMode);
        Trees.with(volume, "downwardAPI", downward -> {
            fileMode(downward);
            Trees.withEach(downward, "items", ContainerDefaults::reference);
        });
        Trees.with(volume, "projected", VolumeDefaults::projected);
        Trees.with(volume, "iscsi", iscsi -> Fields.defaultText(iscsi, "iscsiInterface", "default"));
        Trees.with(volume, "rbd", VolumeDefaults::rbd);
        Trees.with(volume, "azureDisk", VolumeDefaults::azureDisk);
        Trees.with(volume, "scaleIO", scaleIo -> {
            Fields.defaultText(scaleIo, "storageMode", "ThinProvisioned");
            Fields.defaultText(scaleIo, "fsType", "xfs");
        });
        Trees.with(
                volume,
                "ephemeral",
                ephemeral -> Trees.with(
                        ephemeral,
                        "volumeClaimTemplate",
                        template -> PersistentVolumeClaimRules.defaultSpec(Fields.object(template, "spec"))));
        Trees.with(
                volume,
                "image",
                image -> Fields.defaultText(
                        image, "pullPolicy", ContainerDefaults.pullPolicy(Fields.text(image, "reference"))));
    }

    private static void fileMode(ObjectNode source) {
        Trees.number(source, "defaultMode", FILE_MODE);
    }

    private static void projected(ObjectNode projected) {
        fileMode(projected);
        Trees.withEach(projected, "sources", source -> {
            Trees.with(
                    source, "downwardAPI", downward -> Trees.withEach(downward, "items", ContainerDefaults::reference));
            Trees.with(source, "serviceAccountToken", token -> Trees.number(token, "expirationSeconds", AN_HOUR));
        });
    }

    private static void rbd(ObjectNode rbd) {
        Fields.defaultText(rbd, "pool", "rbd");
        Fields.defaultText(rbd, "user", "admin");
        Fields.defaultText(rbd, "keyring", "/etc/ceph/keyring");
    }

    private static void azureDisk(ObjectNode disk) {
        Trees.text(disk, "cachingMode", "ReadWrite");
        Trees.text(disk, "kind", "Shared");
        Trees.text(disk, "fsType", "ext4");
        if (Trees.lacks(disk, "readOnly")) {
            disk.put("readOnly", false);
        }
    }
}
