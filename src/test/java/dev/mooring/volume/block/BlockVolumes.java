package dev.mooring.volume.block;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;

/** Sources of block volumes. */
final class BlockVolumes {
    private BlockVolumes() {}

    static ObjectNode source(String handle, String fsType, Path image) {
        ObjectNode source = JsonNodeFactory.instance.objectNode();
        ObjectNode csi = source.putObject("csi");
        csi.put("driver", "block.mooring.dev");
        csi.put("volumeHandle", handle);
        if (!fsType.isEmpty()) {
            csi.put("fsType", fsType);
        }
        csi.putObject("volumeAttributes").put("image", image.toString());
        return source;
    }
}
