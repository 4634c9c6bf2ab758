package dev.mooring.node.pod;

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
 * Lets Pods go that are deleted on a node which runs no containers: there is nothing to stop, so their time to end need not pass. A Pod whose
 * volumes are still wanted or mounted waits until they are not.
 */
public final class PodsWithoutRuntime implements Controller {
    private final String node;
    private final Departure departure;

    /** @param node its name */
    public PodsWithoutRuntime(String node) {
        this.node = node;
        this.departure = new Departure(node);
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String part() {
        return "pods";
    }

    @Override
    public List<Scope> scopes() {
        return Departure.resources().stream().map(Scope::resource).toList();
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        departure.follow(change, before, world, wakes::now);
        if (change.key().resource().equals("pods")
                && !change.isRemoval()
                && StoredJson.isBeingDeleted(change.object())) {
            wakes.now(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        return Decision.of(world.get(key)
                .map(Pod::of)
                .filter(pod -> pod.isBeingDeleted() && pod.nodeName().equals(node))
                .flatMap(pod -> departure.of(world, pod, name())));
    }
}
