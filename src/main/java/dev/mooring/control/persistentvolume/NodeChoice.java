package dev.mooring.control.persistentvolume;

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
 * The choice of a node that provisions a volume if the scheduler selected none. Uses rendezvous hashing: each claim
 * orders the nodes by hash and takes the first suitable one. So the choice is deterministic, claims are spread, and
 * adding or removing a node changes few choices.
 */
sealed interface NodeChoice {
    /** Limit of reasons in a message; of other nodes only the number is given. */
    int MAX_REASONS = 10;

    String NODES = "nodes";

    /** The chosen node. */
    record Chosen(Node node) implements NodeChoice {}

    /** No node is suitable, with the reasons. */
    record None(String message) implements NodeChoice {}

    /**
     * Chooses a node.
     *
     * @param storageClass empty if it was deleted; then any node is allowed
     */
    static NodeChoice of(World world, String claimUid, Optional<StorageClass> storageClass) {
        List<StoredObject> nodes = new ArrayList<>();
        world.list(Scope.resource(NODES)).forEach(nodes::add);
        nodes.sort(Comparator.<StoredObject>comparingLong(node -> rank(claimUid, node.key()))
                .thenComparing(StoredObject::key));
        List<String> reasons = new ArrayList<>();
        for (StoredObject stored : nodes) {
            Node node = Node.of(stored);
            Optional<String> reason = unsuitableReason(node, storageClass);
            if (reason.isEmpty()) {
                return new Chosen(node);
            }
            reasons.add(node.name() + ' ' + reason.get());
        }
        return new None(message(reasons));
    }

    private static Optional<String> unsuitableReason(Node node, Optional<StorageClass> storageClass) {
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
            return "no node can provision the volume: there are no nodes";
        }
        List<String> shown =
                new ArrayList<>(reasons.stream().sorted().limit(MAX_REASONS).toList());
        if (reasons.size() > MAX_REASONS) {
            shown.add("and " + (reasons.size() - MAX_REASONS) + " more");
        }
        return "no node can provision the volume: " + String.join(", ", shown);
    }

    /** Returns FNV-1a of both, mixed so that names that differ only in the last letter get distant ranks. */
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
