package dev.mooring.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.VolumeMode;
import java.util.List;

/**
 * A volume, whoever uses it.
 *
 * @param volume its identity on the node: plugin, and what tells its volumes apart
 * @param name as directories are called: the PersistentVolume's name, or for a volume that is none the name within the Pod
 * @param source with one field that says where the data is, as in a Pod or a PersistentVolume: {@code {"nfs": {"server": …}}}. Nobody
 *     changes it
 * @param mountOptions that the PersistentVolume asks for
 * @param bytes how large it should be, 0 if nobody says
 */
public record VolumeSpec(
        String volume, String name, ObjectNode source, VolumeMode mode, List<String> mountOptions, long bytes) {
    public VolumeSpec {
        mountOptions = List.copyOf(mountOptions);
    }
}
