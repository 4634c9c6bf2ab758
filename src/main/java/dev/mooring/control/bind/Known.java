package dev.mooring.control.bind;

import dev.mooring.model.Change;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.NodeSelector;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Everything the binder was told of, so that it can find without searching. For one thread. */
final class Known {
    private final VolumeIndex volumes = new VolumeIndex();
    private final ClaimIndex claims = new ClaimIndex();
    private final PodIndex pods = new PodIndex();
    private final Map<String, Node> nodes = new TreeMap<>();
    private final Assumptions assumptions = new Assumptions();

    VolumeIndex volumes() {
        return volumes;
    }

    ClaimIndex claims() {
        return claims;
    }

    PodIndex pods() {
        return pods;
    }

    Assumptions assumptions() {
        return assumptions;
    }

    /** Whether that changes on which nodes volumes can be reached or made. */
    boolean followNode(Change change) {
        Node after = change.isRemoval() ? null : Node.of(change.object());
        Node before = after == null
                ? nodes.remove(change.key().name())
                : nodes.put(change.key().name(), after);
        return before == null
                || after == null
                || !before.labels().equals(after.labels())
                || before.isCordoned() != after.isCordoned()
                || before.isKnownNotReady() != after.isKnownNotReady();
    }

    Collection<Node> nodes() {
        return nodes.values();
    }

    /** Whether any node there is can reach what is chosen so. */
    boolean isReachable(NodeSelector affinity) {
        return affinity.isAny() || nodes.values().stream().anyMatch(affinity::matches);
    }
}
