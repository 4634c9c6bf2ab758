package dev.mooring.control.reclaim;

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
 * The node that can get at a volume's data: the one its affinity names; for data on the network any that works. Pure.
 *
 * @param name of the node; nothing if there is none
 * @param trouble why there is none, "" if there is one
 */
record HoldingNode(Optional<String> name, String trouble) {
    static final Scope NODES = Scope.resource("nodes");

    static HoldingNode of(World world, Volume volume) {
        List<Node> able = able(world, volume);
        if (volume.hasSource("nfs")) {
            return able.stream()
                    .filter(node -> !node.isKnownNotReady())
                    .findFirst()
                    .map(HoldingNode::found)
                    .orElseGet(() -> none("no node is ready that could reach this volume"));
        }
        if (able.size() == 1) {
            return found(able.get(0));
        }
        if (able.isEmpty()) {
            return none("node " + named(volume) + "holding this volume does not exist");
        }
        return none("this volume does not say which of " + able.size() + " nodes holds it (spec.nodeAffinity)");
    }

    private static HoldingNode found(Node node) {
        return new HoldingNode(Optional.of(node.name()), "");
    }

    private static HoldingNode none(String trouble) {
        return new HoldingNode(Optional.empty(), trouble);
    }

    private static List<Node> able(World world, Volume volume) {
        NodeSelector affinity = volume.nodeAffinity();
        List<Node> able = new ArrayList<>();
        for (StoredObject each : world.list(NODES)) {
            Node node = Node.of(each);
            if (affinity.matches(withHostName(node), node.name())) {
                able.add(node);
            }
        }
        return able;
    }

    /** A node that does not label itself goes by its name. */
    private static JsonNode withHostName(Node node) {
        if (node.labels().hasNonNull(StorageNames.HOST_NAME)) {
            return node.labels();
        }
        ObjectNode labels =
                node.labels() instanceof ObjectNode some ? some.deepCopy() : JsonNodeFactory.instance.objectNode();
        return labels.put(StorageNames.HOST_NAME, node.name());
    }

    /** What the affinity calls it, with a space behind; "" if that is not a single name. */
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
