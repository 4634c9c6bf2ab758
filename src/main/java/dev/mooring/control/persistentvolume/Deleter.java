package dev.mooring.control.persistentvolume;

import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import java.util.Optional;

/** Which component deletes a volume's data. Pure. */
enum Deleter {
    /** Mooring provisioned it, and a Mooring node deletes it. */
    MOORING,

    /** An external provisioner deletes it. */
    EXTERNAL,

    /** No component can delete it. */
    NONE;

    private static final String IN_TREE = "kubernetes.io/";

    static Deleter of(Volume volume) {
        if (volume.isExternalCsi()
                || volume.hasAnnotation(StorageNames.MIGRATED_TO)
                || volume.hasAnnotation(StorageNames.DISCOVERED_BY)) {
            return EXTERNAL;
        }
        String provisioner = volume.provisionedBy().orElse("");
        if (SourceTypes.ofProvisioner(provisioner).isPresent()) {
            return volume.sourceType().isPresent() ? MOORING : NONE;
        }
        boolean outside = !provisioner.isEmpty()
                && !provisioner.startsWith(IN_TREE)
                && !provisioner.startsWith(StorageNames.MOORING_PROVISIONER_PREFIX);
        return outside ? EXTERNAL : NONE;
    }

    /** Returns the provisioner that can scrub the volume, whether provisioned by Mooring or not. */
    static Optional<String> scrubProvisioner(Volume volume) {
        return volume.sourceType().filter(SourceType::isRecyclable).flatMap(SourceType::provisioner);
    }
}
