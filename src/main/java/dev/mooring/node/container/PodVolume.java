package dev.mooring.node.container;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.MountPoint;
import dev.mooring.model.view.SourceType;
import dev.mooring.model.view.SourceTypes;
import dev.mooring.model.view.VolumeMode;
import java.nio.file.Path;

/**
 * A volume that is mounted for a Pod.
 *
 * @param name within the Pod
 * @param directoryName name of its directories on the node
 * @param plugin that mounted it
 * @param path the path that containers get
 * @param mountPoint whether the path must be a mount point
 * @param readOnly whether it is read-only
 */
public record PodVolume(
        String name,
        String directoryName,
        String plugin,
        Path path,
        VolumeMode mode,
        MountPoint mountPoint,
        boolean readOnly) {

    public PodVolume {
        readOnly = readOnly
                || SourceTypes.ofPlugin(plugin).filter(SourceType::isReadOnly).isPresent();
    }

    /** Creates a volume from stored objects, without access to the machine. */
    public static PodVolume of(DesiredVolume desired, ActualVolume.Mount mount, ActualVolume actual) {
        return new PodVolume(
                desired.volumeName(),
                desired.directoryName(),
                desired.plugin(),
                Path.of(mount.path()),
                desired.mode(),
                mountPoint(desired, actual, mount),
                desired.isReadOnly() || mount.isReadOnly());
    }

    private static MountPoint mountPoint(DesiredVolume desired, ActualVolume actual, ActualVolume.Mount mount) {
        if (desired.mode() == VolumeMode.BLOCK) {
            return MountPoint.LOCAL;
        }
        return SourceTypes.ofPlugin(desired.plugin())
                .map(type -> type.mountPoint(desired.source(), actual.devicePath(), Path.of(mount.path())))
                .orElse(MountPoint.NONE);
    }
}
