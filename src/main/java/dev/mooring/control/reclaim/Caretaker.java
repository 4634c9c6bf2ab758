package dev.mooring.control.reclaim;

import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;
import java.util.Set;

/** Who deletes what a volume is made of. Pure. */
enum Caretaker {
    /** We made it, and a node of ours deletes it. */
    OURS,

    /** Somebody outside looks after it. */
    OUTSIDE,

    /** Nobody knows how. */
    NOBODY;

    private static final String IN_TREE = "kubernetes.io/";
    private static final Set<String> KNOWN = Set.of(
            StorageNames.HOST_PATH_PROVISIONER,
            StorageNames.LOCAL_PROVISIONER,
            StorageNames.NFS_PROVISIONER,
            StorageNames.BLOCK_PROVISIONER);

    static Caretaker of(Volume volume) {
        if (volume.isForeignCsi()
                || volume.hasAnnotation(StorageNames.MIGRATED_TO)
                || volume.hasAnnotation(StorageNames.DISCOVERED_BY)) {
            return OUTSIDE;
        }
        String provisioner = volume.provisionedBy().orElse("");
        if (KNOWN.contains(provisioner)) {
            return Source.of(volume).isPresent() ? OURS : NOBODY;
        }
        boolean outside = !provisioner.isEmpty()
                && !provisioner.startsWith(IN_TREE)
                && !provisioner.startsWith(StorageNames.OUR_PROVISIONERS);
        return outside ? OUTSIDE : NOBODY;
    }

    /** Who can empty it: of all kinds, only directories; made by us or not. */
    static Optional<String> scrubber(Volume volume) {
        if (volume.hasSource("hostPath")) {
            return Optional.of(StorageNames.HOST_PATH_PROVISIONER);
        }
        return volume.hasSource("nfs") ? Optional.of(StorageNames.NFS_PROVISIONER) : Optional.empty();
    }
}
