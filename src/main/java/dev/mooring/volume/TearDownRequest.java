package dev.mooring.volume;

import dev.mooring.model.view.VolumeMode;
import java.nio.file.Path;

/**
 * A request to tear down a Pod's volume. It holds everything that is needed, because the Pod and the claim may no
 * longer exist.
 *
 * @param uniqueName identity of the volume on the node
 * @param name the volume's directory name
 * @param podUid uid of the Pod that used the volume
 * @param target path in the node's layout
 * @param server the server of the volume; "" if it has none or the server is no longer known
 */
public record TearDownRequest(
        String uniqueName, String name, String podUid, Path target, VolumeMode mode, String server) {}
