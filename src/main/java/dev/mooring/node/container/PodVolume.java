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
 * @param directoryName what its directories on the node are called
 * @param plugin that mounted it
 * @param path what containers get
 * @param mountPoint whether something must be mounted exactly there
 * @param readOnly whether nobody may write to it
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

    /** Made of objects, to be brought up to date by the node: a link that a container plants there would be followed by root. */
    private static final Set<String> MADE_OF_OBJECTS = Set.of(
            "kubernetes.io/configmap", "kubernetes.io/secret", "kubernetes.io/downward-api", "kubernetes.io/projected");

    public PodVolume {
        readOnly = readOnly || MADE_OF_OBJECTS.contains(plugin);
    }

    /** Whether its path is one. */
    public enum MountPoint {
        /** Of this machine's own: asking about the path is safe. */
        LOCAL,
        /** Perhaps on a server: only the mount table may be asked. */
        REMOTE,
        /** A directory or device as it is. */
        NONE
    }

    /** Says so from what is written down, without a look at the machine. */
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
            // A directory may lie in whatever an administrator has mounted there; a device is the machine's.
            case LOCAL_DISK -> actual.devicePath().isEmpty() ? MountPoint.REMOTE : MountPoint.LOCAL;
            case EMPTY -> isInMemory(desired) ? MountPoint.LOCAL : MountPoint.NONE;
            case HOST_PATH -> isBound(desired, mount) ? MountPoint.REMOTE : MountPoint.NONE;
            default -> MountPoint.NONE;
        };
    }

    /** Whether containers do not get the path itself, but a mount of what was found there. */
    private static boolean isBound(DesiredVolume desired, ActualVolume.Mount mount) {
        String path = desired.source().path("hostPath").path("path").asText("");
        return !Path.of(path).normalize().equals(Path.of(mount.path()));
    }

    private static boolean isInMemory(DesiredVolume desired) {
        return desired.source().path("emptyDir").path("medium").asText("").equals("Memory");
    }
}
