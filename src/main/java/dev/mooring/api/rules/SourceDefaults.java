package dev.mooring.api.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** What is filled in where the source of a volume leaves it out. Stateless; any thread. */
final class SourceDefaults {
    private SourceDefaults() {}

    static void apply(ObjectNode spec) {
        if (spec.get("hostPath") instanceof ObjectNode hostPath && !Fields.has(hostPath, "type")) {
            hostPath.put("type", "");
        }
        if (spec.get("iscsi") instanceof ObjectNode iscsi) {
            Fields.defaultText(iscsi, "iscsiInterface", "default");
        }
        if (spec.get("rbd") instanceof ObjectNode rbd) {
            Fields.defaultText(rbd, "pool", "rbd");
            Fields.defaultText(rbd, "user", "admin");
            Fields.defaultText(rbd, "keyring", "/etc/ceph/keyring");
        }
        if (spec.get("azureDisk") instanceof ObjectNode disk) {
            Fields.defaultText(disk, "cachingMode", "ReadWrite");
            Fields.defaultText(disk, "kind", "Shared");
            Fields.defaultText(disk, "fsType", "ext4");
            if (!Fields.has(disk, "readOnly")) {
                disk.put("readOnly", false);
            }
        }
        if (spec.get("scaleIO") instanceof ObjectNode scaleIo) {
            Fields.defaultText(scaleIo, "storageMode", "ThinProvisioned");
            Fields.defaultText(scaleIo, "fsType", "xfs");
        }
    }
}
