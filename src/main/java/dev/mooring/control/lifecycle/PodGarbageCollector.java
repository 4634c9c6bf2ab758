package dev.mooring.control.lifecycle;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.ObjectDeleter;
import dev.mooring.control.StoredJson;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.model.view.Pod;
import dev.mooring.world.Indexes;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Removes terminating Pods whose node does not exist, because no agent will terminate them. A node that is registered
 * again has a grace period to come back. Its mounts stay protected by its ActualVolumes, and if it returns, its agent
 * stops the containers of deleted Pods.
 *
 * <p>Pods that are not terminating stay, whatever happened to their node.
 */
public final class PodGarbageCollector implements Controller {
    /** How long a node must be missing; Kubernetes' value. */
    public static final Duration QUARANTINE = Duration.ofSeconds(40);

    private static final String NAME = "pod-garbage-collector";
    private static final String NODES = "nodes";
    private static final String PODS = "pods";

    /**
     * When the controller first saw that a terminating Pod has no node. Reset when the controller restarts, which only
     * delays the removal.
     */
    private final Map<ObjectKey, Instant> strandedSince = new HashMap<>();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Scope> scopes() {
        return List.of(Scope.resource(NODES), Scope.resource(PODS));
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().resource().equals(NODES)) {
            if (before.isEmpty() || change.isRemoval()) {
                world.find(Indexes.PODS_BY_NODE, change.key().name()).stream()
                        .filter(StoredJson::isBeingDeleted)
                        .forEach(pod -> queue.enqueue(pod.key()));
            }
        } else if (change.isRemoval()
                || (StoredJson.isBeingDeleted(change.object())
                        && Pod.of(change.object()).isScheduled())) {
            queue.enqueue(change.key());
        }
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        Optional<Pod> found = world.get(key).map(Pod::of).filter(pod -> isStranded(world, pod));
        if (found.isEmpty()) {
            strandedSince.remove(key);
            return Decision.none();
        }
        Pod pod = found.get();
        // A time in the future was noted before the clock was set back.
        Instant since = strandedSince.merge(key, now, (noted, current) -> noted.isAfter(current) ? current : noted);
        Instant due = since.plus(QUARANTINE);
        if (now.isBefore(due)) {
            return Decision.none().requeueAt(due, now);
        }
        return Decision.of(new ObjectDeleter(NAME, pod.cause()).endGracePeriod(pod.stored(), pod.copy()));
    }

    private static boolean isStranded(World world, Pod pod) {
        return pod.isBeingDeleted()
                && !pod.nodeName().isEmpty()
                && world.get(Node.key(pod.nodeName())).isEmpty();
    }
}
