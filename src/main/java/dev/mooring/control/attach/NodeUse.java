package dev.mooring.control.attach;

import dev.mooring.model.view.CsiNames;
import dev.mooring.model.view.Node;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** What a node has mounted, or may have, according to itself and to its ActualVolumes. As of one World. */
final class NodeUse {
    private final AttachIndex index;
    private final World world;
    private final String node;
    private final Set<String> inUse = new HashSet<>();

    /** @param found nothing if the node is gone and tells nothing any more */
    NodeUse(AttachIndex index, World world, String node, Optional<Node> found) {
        this.index = index;
        this.world = world;
        this.node = node;
        // As names of attachments, so that they can be told apart even when the volume is gone.
        found.ifPresent(each -> each.status()
                .path("volumesInUse")
                .forEach(unique -> CsiNames.attachment(unique.asText(""), node).ifPresent(inUse::add)));
    }

    boolean has(String attachment, String volume) {
        return inUse.contains(attachment) || index.isHeld(world, volume, node);
    }
}
