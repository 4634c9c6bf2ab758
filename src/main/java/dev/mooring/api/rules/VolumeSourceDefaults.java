package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Defaults of volume sources. Stateless; thread-safe. */
final class VolumeSourceDefaults {
    private VolumeSourceDefaults() {}

    static void apply(ObjectNode spec) {
        if (spec.get("hostPath") instanceof ObjectNode hostPath && !JsonFields.has(hostPath, "type")) {
            hostPath.put("type", "");
        }
        if (spec.get("iscsi") instanceof ObjectNode iscsi) {
            JsonFields.defaultText(iscsi, "iscsiInterface", "default");
        }
        if (spec.get("rbd") instanceof ObjectNode rbd) {
            JsonFields.defaultText(rbd, "pool", "rbd");
            JsonFields.defaultText(rbd, "user", "admin");
            JsonFields.defaultText(rbd, "keyring", "/etc/ceph/keyring");
        }
        if (spec.get("azureDisk") instanceof ObjectNode disk) {
            JsonFields.defaultText(disk, "cachingMode", "ReadWrite");
            JsonFields.defaultText(disk, "kind", "Shared");
            JsonFields.defaultText(disk, "fsType", "ext4");
            if (!JsonFields.has(disk, "readOnly")) {
                disk.put("readOnly", false);
            }
        }
        if (spec.get("scaleIO") instanceof ObjectNode scaleIo) {
            JsonFields.defaultText(scaleIo, "storageMode", "ThinProvisioned");
            JsonFields.defaultText(scaleIo, "fsType", "xfs");
        }
    }
}
