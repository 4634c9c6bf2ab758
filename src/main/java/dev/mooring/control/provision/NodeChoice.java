package dev.mooring.control.provision;

import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.StorageClass;
import dev.mooring.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which node makes a volume when nobody has chosen one. Each claim has its own order of the nodes, made of hashes, and the first that can takes
 * it: so the same claim gets the same node whoever asks, many claims are spread, and a node that comes or goes changes the choice of few.
 */
sealed interface NodeChoice {
    /** Reasons given in a message; of the other nodes only how many there are. */
    int MAX_REASONS = 10;

    String NODES = "nodes";

    /** This one. */
    record Chosen(Node node) implements NodeChoice {}

    /** None can, and why. */
    record None(String message) implements NodeChoice {}

    /**
     * Chooses.
     *
     * @param storageClass nothing if it is gone; then any node is allowed
     */
    static NodeChoice of(World world, String claimUid, Optional<StorageClass> storageClass) {
        List<StoredObject> nodes = new ArrayList<>();
        world.list(Scope.resource(NODES)).forEach(nodes::add);
        nodes.sort(Comparator.<StoredObject>comparingLong(node -> rank(claimUid, node.key()))
                .thenComparing(StoredObject::key));
        List<String> reasons = new ArrayList<>();
        for (StoredObject stored : nodes) {
            Node node = Node.of(stored);
            Optional<String> reason = unfit(node, storageClass);
            if (reason.isEmpty()) {
                return new Chosen(node);
            }
            reasons.add(node.name() + ' ' + reason.get());
        }
        return new None(message(reasons));
    }

    private static Optional<String> unfit(Node node, Optional<StorageClass> storageClass) {
        if (node.isBeingDeleted()) {
            return Optional.of("is being deleted");
        }
        if (node.isKnownNotReady()) {
            return Optional.of("is not ready");
        }
        if (node.isCordoned()) {
            return Optional.of("is cordoned");
        }
        return storageClass
                .filter(each -> !each.allows(node))
                .map(each -> "is not in allowedTopologies of StorageClass \"" + each.name() + '"');
    }

    private static String message(List<String> reasons) {
        if (reasons.isEmpty()) {
            return "no node can make the volume: there are no nodes";
        }
        List<String> shown =
                new ArrayList<>(reasons.stream().sorted().limit(MAX_REASONS).toList());
        if (reasons.size() > MAX_REASONS) {
            shown.add("and so on for " + (reasons.size() - MAX_REASONS) + " more");
        }
        return "no node can make the volume: " + String.join(", ", shown);
    }

    /** FNV-1a of both, mixed so that names that differ in the last letter are far apart. */
    private static long rank(String claimUid, ObjectKey node) {
        long hash = 0xcbf2_9ce4_8422_2325L;
        for (String text : List.of(claimUid, node.text())) {
            for (int i = 0; i < text.length(); i++) {
                hash = (hash ^ text.charAt(i)) * 0x100_0000_01b3L;
            }
        }
        hash = (hash ^ (hash >>> 33)) * 0xff51_afd7_ed55_8ccdL;
        return hash ^ (hash >>> 33);
    }
}
