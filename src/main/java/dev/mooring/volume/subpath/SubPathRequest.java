package dev.mooring.volume.subpath;

import dev.mooring.volume.Access;
import java.nio.file.Path;

/**
 * A part of a volume that a container is to get.
 *
 * @param volumeRoot all of the volume, as containers without a subPath would get it
 * @param subPath relative to it; see {@link SubPathText}
 */
public record SubPathRequest(Path volumeRoot, String subPath, Use use, Access access) {
    /**
     * Whose it is.
     *
     * @param volume the name of the volume's directory: that of the PersistentVolume, or of the Pod's volume if there is none
     * @param mountName the Pod's own name for the volume, for messages
     * @param index which of the container's {@code volumeMounts}, from 0
     */
    public record Use(String podUid, String volume, String mountName, String container, int index) {}

    public SubPathRequest {
        if (!volumeRoot.isAbsolute()) {
            throw new IllegalArgumentException("Expected an absolute path, but found " + volumeRoot);
        }
    }
}
