package dev.mooring.volume.subpath;

import dev.mooring.volume.Access;
import java.nio.file.Path;

/**
 * A request for a subPath mount of a container.
 *
 * @param volumeRoot path of the whole volume, as containers without a subPath get it
 * @param subPath relative to the root; see {@link SubPathValidation}
 */
public record SubPathRequest(Path volumeRoot, String subPath, SubPathOwner owner, Access access) {
    /**
     * The volume mount that uses the subPath.
     *
     * @param volume the volume's directory name: the PersistentVolume's name, or that of an inline volume
     * @param mountName the name of the volume in the Pod, for messages
     * @param index index in the container's {@code volumeMounts}, from 0
     */
    public record SubPathOwner(String podUid, String volume, String mountName, String container, int index) {}

    public SubPathRequest {
        if (!volumeRoot.isAbsolute()) {
            throw new IllegalArgumentException("volumeRoot must be absolute, got " + volumeRoot);
        }
    }
}
