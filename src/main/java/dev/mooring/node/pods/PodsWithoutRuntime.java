package dev.mooring.node.pods;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Completes the deletion of Pods on a node that runs no containers: nothing has to stop, so the grace period is
 * skipped. A Pod waits until its volumes are neither desired nor mounted.
 */
public final class PodsWithoutRuntime implements Controller {
    private final String node;
    private final PodDeletion podDeletion;

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public PodsWithoutRuntime(String node) {
        this.node = node;
        this.podDeletion = new PodDeletion(node);
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String metricName() {
        return "pods";
    }

    @Override
    public List<Scope> scopes() {
        return PodDeletion.resources().stream().map(Scope::resource).toList();
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        podDeletion.affectedBy(change, before).forEach(queue::enqueue);
        if (change.key().resource().equals("pods")
                && !change.isRemoval()
                && StoredJson.isBeingDeleted(change.object())) {
            queue.enqueue(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        return Decision.of(world.get(key)
                .map(Pod::of)
                .filter(pod -> pod.isBeingDeleted() && pod.nodeName().equals(node))
                .flatMap(pod -> podDeletion.proposalFor(world, pod, name())));
    }
}
