package dev.mooring.control.persistentvolume;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;
import java.util.Set;

/** Which component deletes a volume's data. Pure. */
enum Deleter {
    /** Mooring provisioned it, and a Mooring node deletes it. */
    MOORING,

    /** An external provisioner deletes it. */
    EXTERNAL,

    /** No component can delete it. */
    NONE;

    private static final String IN_TREE = "kubernetes.io/";
    private static final Set<String> KNOWN = Set.of(
            StorageNames.HOST_PATH_PROVISIONER,
            StorageNames.LOCAL_PROVISIONER,
            StorageNames.NFS_PROVISIONER,
            StorageNames.BLOCK_PROVISIONER);

    static Deleter of(Volume volume) {
        if (volume.isExternalCsi()
                || volume.hasAnnotation(StorageNames.MIGRATED_TO)
                || volume.hasAnnotation(StorageNames.DISCOVERED_BY)) {
            return EXTERNAL;
        }
        String provisioner = volume.provisionedBy().orElse("");
        if (KNOWN.contains(provisioner)) {
            return PersistentVolumeSource.of(volume).isPresent() ? MOORING : NONE;
        }
        boolean outside = !provisioner.isEmpty()
                && !provisioner.startsWith(IN_TREE)
                && !provisioner.startsWith(StorageNames.MOORING_PROVISIONER_PREFIX);
        return outside ? EXTERNAL : NONE;
    }

    /**
     * Returns the provisioner that can scrub the volume: only for directories, whether provisioned by Mooring or not.
     */
    static Optional<String> scrubProvisioner(Volume volume) {
        if (volume.hasSource("hostPath")) {
            return Optional.of(StorageNames.HOST_PATH_PROVISIONER);
        }
        return volume.hasSource("nfs") ? Optional.of(StorageNames.NFS_PROVISIONER) : Optional.empty();
    }
}
