package dev.mooring.control.reclaim;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.view.Volume;
import java.util.List;
import java.util.Optional;

/** Where the data of a volume is, as far as our nodes can get at it. Pure. */
final class Source {
    private static final List<String> KINDS = List.of("hostPath", "local", "nfs", "csi");

    private Source() {}

    /** {@code {hostPath: {path: …}}}, as in the volume. */
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
