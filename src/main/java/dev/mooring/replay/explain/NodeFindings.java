package dev.mooring.replay.explain;

import dev.mooring.control.protection.NodeUsage;
import dev.mooring.model.EventReasons;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.replay.explain.Explanation.Finding;
import java.util.Optional;

/** Findings about nodes that several explainers use. Pure. */
final class NodeFindings {
    private NodeFindings() {}

    /** Returns the key of the node that a field names; empty if the name is missing or invalid. */
    static Optional<ObjectKey> key(String name) {
        return name.indexOf('/') >= 0 ? Optional.empty() : ObjectKey.ifValid("nodes/" + name);
    }

    /** Returns that a node has a volume, and why it keeps it if the node is not ready. */
    static Finding usage(NodeUsage usage, ExplainContext context) {
        Finding.Builder finding = Finding.waiting("The volume is " + usage.state() + " node " + usage.node() + '.')
                .because(notReady(usage.node(), context).stream().toList());
        key(usage.node()).ifPresent(finding::about);
        return finding.build();
    }

    /** Returns that a node is not ready or does not exist; empty if it is ready, or no node is named. */
    static Optional<Finding> notReady(String name, ExplainContext context) {
        return key(name).flatMap(key -> notReady(key, context));
    }

    private static Optional<Finding> notReady(ObjectKey key, ExplainContext context) {
        Optional<StoredObject> stored = context.world().get(key);
        if (stored.isEmpty()) {
            return Optional.of(Finding.failed("Node " + key.name() + " does not exist.")
                    .about(key)
                    .because(context.deletionOf(key).stream()
                            .map(ObjectDeletion::finding)
                            .toList())
                    .next("List the nodes.", "kubectl get nodes")
                    .build());
        }
        return stored.filter(each -> Node.of(each).isKnownNotReady())
                .map(each -> context.explain(each.key())
                        .orElseGet(() -> Finding.failed("Node " + key.name() + " is not ready.")
                                .reason(EventReasons.NODE_NOT_READY)
                                .about(each)
                                .next("See why the node is not ready.", Commands.kubectl("describe", key))
                                .build()));
    }
}
