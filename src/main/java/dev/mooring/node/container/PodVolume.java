package dev.mooring.node.container;

import dev.mooring.model.view.ActualVolume;
import dev.mooring.model.view.DesiredVolume;
import dev.mooring.model.view.VolumeMode;
import java.nio.file.Path;
import java.util.Set;

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

    private static final String BLOCK = "kubernetes.io/csi";
    private static final String HOST_PATH = "kubernetes.io/host-path";
    private static final String EMPTY = "kubernetes.io/empty-dir";
    private static final String LOCAL_DISK = "kubernetes.io/local-volume";
    private static final String NFS = "kubernetes.io/nfs";

    /**
     * Plugins whose content the node writes from objects: a symbolic link planted by a container would be followed by
     * root.
     */
    private static final Set<String> MADE_OF_OBJECTS = Set.of(
            "kubernetes.io/configmap", "kubernetes.io/secret", "kubernetes.io/downward-api", "kubernetes.io/projected");

    public PodVolume {
        readOnly = readOnly || MADE_OF_OBJECTS.contains(plugin);
    }

    /** Whether the path is a mount point. */
    public enum MountPoint {
        /** A local mount point: the path may be accessed. */
        LOCAL,
        /** A possibly remote mount point: only the mount table may be read. */
        REMOTE,
        /** A plain directory or device. */
        NONE
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
        return switch (desired.plugin()) {
            case NFS -> MountPoint.REMOTE;
            case BLOCK -> MountPoint.LOCAL;
            // A directory may be on any file system an administrator has mounted; a device is local.
            case LOCAL_DISK -> actual.devicePath().isEmpty() ? MountPoint.REMOTE : MountPoint.LOCAL;
            case EMPTY -> isInMemory(desired) ? MountPoint.LOCAL : MountPoint.NONE;
            case HOST_PATH -> isBound(desired, mount) ? MountPoint.REMOTE : MountPoint.NONE;
            default -> MountPoint.NONE;
        };
    }

    /** Returns whether containers get a bind mount instead of the path itself. */
    private static boolean isBound(DesiredVolume desired, ActualVolume.Mount mount) {
        String path = desired.source().path("hostPath").path("path").asText("");
        return !Path.of(path).normalize().equals(Path.of(mount.path()));
    }

    private static boolean isInMemory(DesiredVolume desired) {
        return desired.source().path("emptyDir").path("medium").asText("").equals("Memory");
    }
}
