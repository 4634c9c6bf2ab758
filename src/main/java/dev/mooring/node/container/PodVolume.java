package dev.mooring.node.container;

import dev.mooring.model.view.VolumeMode;
import java.nio.file.Path;

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

    /** Whether its path is one. */
    public enum MountPoint {
        /** Of this machine's own: asking about the path is safe. */
        LOCAL,
        /** Perhaps on a server: only the mount table may be asked. */
        REMOTE,
        /** A directory or device as it is. */
        NONE
    }
}
