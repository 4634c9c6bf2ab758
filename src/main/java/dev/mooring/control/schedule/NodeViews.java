package dev.mooring.control.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The nodes of a World, read once each time they change rather than once for each Pod. For one thread. */
final class NodeViews {
    static final Scope SCOPE = Scope.resource("nodes");

    private final Map<String, Node> byName = new HashMap<>();

    List<Node> of(World world) {
        List<Node> nodes = new ArrayList<>();
        for (StoredObject stored : world.list(SCOPE)) {
            nodes.add(of(stored));
        }
        if (byName.size() > nodes.size()) {
            byName.keySet().removeIf(name -> world.get(Node.key(name)).isEmpty());
        }
        return nodes;
    }

    private Node of(StoredObject stored) {
        Node known = byName.get(stored.key().name());
        if (known != null && known.revision() == stored.revision()) {
            return known;
        }
        Node node = Node.of(stored);
        byName.put(node.name(), node);
        return node;
    }

    /** Whether a node takes other Pods than before. What it reports of itself otherwise changes often and is nobody's concern here. */
    static boolean takesOthers(Node before, Node after) {
        return !before.spec().equals(after.spec())
                || !before.labels().equals(after.labels())
                || !before.status().path("allocatable").equals(after.status().path("allocatable"))
                || before.isKnownNotReady() != after.isKnownNotReady()
                || before.isBeingDeleted() != after.isBeingDeleted();
    }

    /** Whether it has other room for volumes than before. */
    static boolean hasOtherRoom(Node before, Node after) {
        JsonNode was = before.metadata().path("annotations");
        for (Map.Entry<String, JsonNode> each :
                after.metadata().path("annotations").properties()) {
            if (each.getKey().startsWith(FreeStorage.FREE_BYTES)
                    && !each.getValue().equals(was.path(each.getKey()))) {
                return true;
            }
        }
        return false;
    }
}
