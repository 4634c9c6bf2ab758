package dev.mooring.control.lifecycle;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Removal;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Lets Pods go that somebody has deleted and that are of a node which does not exist: nobody is there to end them. A node that is only being
 * registered again has a while to come back. What such a node had mounted stays protected by its ActualVolumes, and should it ever return, it
 * ends the containers of Pods that are gone.
 *
 * <p>Pods that nobody has deleted stay, whatever became of their node.
 */
public final class StrandedPods implements Controller {
    /** How long a node has to be away, as Kubernetes has it. */
    public static final Duration QUARANTINE = Duration.ofSeconds(40);

    private static final String NAME = "pod-garbage-collector";
    private static final String NODES = "nodes";
    private static final String PODS = "pods";

    /** Pods being deleted, by the name of their node. */
    private final Map<String, Set<ObjectKey>> leaving = new HashMap<>();

    /** Since when a Pod that is being deleted is known to have no node. Begun anew with the controller, which only makes it later. */
    private final Map<ObjectKey, Instant> stranded = new HashMap<>();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(NODES), Scope.resource(PODS));
    }

    @Override
    public void follow(Change change, Optional<StoredObject> before, World world, Wakes wakes) {
        if (change.key().resource().equals(NODES)) {
            if (before.isEmpty() || change.isRemoval()) {
                leaving.getOrDefault(change.key().name(), Set.of()).forEach(wakes::now);
            }
            return;
        }
        String node = Pod.of(change.object()).nodeName();
        if (change.isRemoval()) {
            forget(node, change.key());
            wakes.now(change.key());
        } else if (!node.isEmpty() && StoredJson.isBeingDeleted(change.object())) {
            leaving.computeIfAbsent(node, unused -> new LinkedHashSet<>()).add(change.key());
            wakes.now(change.key());
        }
    }

    private void forget(String node, ObjectKey pod) {
        Set<ObjectKey> pods = leaving.get(node);
        if (pods != null && pods.remove(pod) && pods.isEmpty()) {
            leaving.remove(node);
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Pod> found = world.get(key).map(Pod::of).filter(pod -> isStranded(world, pod));
        if (found.isEmpty()) {
            stranded.remove(key);
            return Decision.nothing();
        }
        Pod pod = found.get();
        Instant due = stranded.computeIfAbsent(key, unused -> now).plus(QUARANTINE);
        if (now.isBefore(due)) {
            return Decision.nothing().lookAgainAt(due, now);
        }
        return Decision.of(new Removal(NAME, pod.cause()).end(pod.stored(), pod.copy()));
    }

    private static boolean isStranded(World world, Pod pod) {
        return pod.isBeingDeleted()
                && !pod.nodeName().isEmpty()
                && world.get(Node.key(pod.nodeName())).isEmpty();
    }
}
