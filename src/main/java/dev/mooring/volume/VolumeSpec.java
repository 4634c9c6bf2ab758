package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import java.util.List;

/**
 * A volume, independent of the Pods that use it.
 *
 * @param uniqueName identity on the node: the plugin name and an identifier within the plugin
 * @param name directory name: the PersistentVolume's name or, for an inline volume, the name within the Pod
 * @param source has one field that says where the data is, as in a Pod or a PersistentVolume:
 *     {@code {"nfs": {"server": …}}}. Must not be modified
 * @param mountOptions mount options of the PersistentVolume
 * @param bytes requested size; 0 if not specified
 */
public record VolumeSpec(
        String uniqueName, String name, ObjectNode source, VolumeMode mode, List<String> mountOptions, long bytes) {
    public VolumeSpec {
        mountOptions = List.copyOf(mountOptions);
    }
}
