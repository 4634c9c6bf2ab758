package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Volume;
import java.util.List;
import java.util.Optional;

/** Returns where the data of a volume is, for sources that nodes can access. Pure. */
final class PersistentVolumeSource {
    private static final List<String> KINDS = List.of("hostPath", "local", "nfs", "csi");

    private PersistentVolumeSource() {}

    /** Returns the source as in the volume: {@code {hostPath: {path: …}}}. */
    static Optional<ObjectNode> of(Volume volume) {
        for (String kind : KINDS) {
            if (volume.hasSource(kind)) {
                ObjectNode source = JsonNodeFactory.instance.objectNode();
                source.set(kind, volume.spec().get(kind).deepCopy());
                return Optional.of(source);
            }
        }
        return Optional.empty();
    }
}
