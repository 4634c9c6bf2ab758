package dev.mooring.control.persistentvolume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import dev.mooring.model.view.StorageNames;
import dev.mooring.model.view.Volume;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The node that can access a volume's data: the one in its affinity, or any ready node for network storage. Pure.
 *
 * @param name of the node; empty if there is none
 * @param problem why there is none; "" if there is one
 */
record ReclaimNode(Optional<String> name, String problem) {
    static final Scope NODES = Scope.resource("nodes");

    static ReclaimNode of(World world, Volume volume) {
        List<Node> nodes = candidates(world, volume);
        if (volume.sourceType().filter(type -> !type.isNodeBound()).isPresent()) {
            return nodes.stream()
                    .filter(node -> !node.isKnownNotReady())
                    .findFirst()
                    .map(ReclaimNode::found)
                    .orElseGet(() -> none("no ready node can reach this volume"));
        }
        if (nodes.size() == 1) {
            return found(nodes.get(0));
        }
        if (nodes.isEmpty()) {
            return none("node " + named(volume) + "holding this volume does not exist");
        }
        return none("spec.nodeAffinity does not tell which of " + nodes.size() + " nodes holds this volume");
    }

    private static ReclaimNode found(Node node) {
        return new ReclaimNode(Optional.of(node.name()), "");
    }

    private static ReclaimNode none(String reason) {
        return new ReclaimNode(Optional.empty(), reason);
    }

    private static List<Node> candidates(World world, Volume volume) {
        NodeSelector affinity = volume.nodeAffinity();
        List<Node> nodes = new ArrayList<>();
        for (StoredObject each : world.list(NODES)) {
            Node node = Node.of(each);
            if (affinity.matches(withHostName(node), node.name())) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    /** Adds the node's name as hostname label if it has none. */
    private static JsonNode withHostName(Node node) {
        if (node.labels().hasNonNull(StorageNames.HOST_NAME)) {
            return node.labels();
        }
        ObjectNode labels =
                node.labels() instanceof ObjectNode some ? some.deepCopy() : JsonNodeFactory.instance.objectNode();
        return labels.put(StorageNames.HOST_NAME, node.name());
    }

    /** Returns the affinity's hostname with a trailing space; "" if it is not a single name. */
    private static String named(Volume volume) {
        JsonNode terms = volume.spec().path("nodeAffinity").path("required").path("nodeSelectorTerms");
        for (JsonNode each : terms.path(0).path("matchExpressions")) {
            boolean host = each.path("key").asText("").equals(StorageNames.HOST_NAME);
            if (host && terms.size() == 1 && each.path("values").size() == 1) {
                return each.path("values").get(0).asText("") + ' ';
            }
        }
        return "";
    }
}
