package dev.mooring.node.volumemanager;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.model.Change;
import dev.mooring.model.ObjectKey;
import dev.mooring.model.Scope;
import dev.mooring.model.StoredObject;
import dev.mooring.model.view.Node;
import dev.mooring.volume.work.PodDirectory;
import dev.mooring.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Removes the directory of a Pod when the Pod is gone, nothing of it is mounted or desired on the node, and no
 * container of it may run. Scans for directories without any object, such as after a crash, at the start and
 * periodically.
 *
 * <p>Keys are synthetic: {@code poddirectories/<uid>}, and {@link #ALL} for a scan of the disk. They refer to no
 * object. A removed Pod never returns, so its removal event is sufficient. Effects go through
 * {@link PodDirectoryCleaner}.
 *
 * <p>To be started after recovery: mounts of a previous process must have their ActualVolumes.
 */
public final class PodDirectoryController implements Controller {
    static final String RESOURCE = "poddirectories";

    /** Not a valid UID. */
    static final ObjectKey ALL = ObjectKey.clusterWide(RESOURCE, "*");

    /** Interval of scans, and of retries of failed removals. */
    static final Duration RESYNC_INTERVAL = Duration.ofMinutes(10);

    /** There is no event for the end of the last container. */
    static final Duration CONTAINER_POLL_INTERVAL = Duration.ofSeconds(5);

    private final String node;
    private final PodStateProvider containers;
    private final PodDirectoryCleaner cleaner;
    private final PodDirectoryReferences references = new PodDirectoryReferences();

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public PodDirectoryController(String node, PodStateProvider containers, PodDirectoryCleaner cleaner) {
        this.node = node;
        this.containers = containers;
        this.cleaner = cleaner;
    }

    @Override
    public String name() {
        return "node/" + node;
    }

    @Override
    public String metricName() {
        return "pod-directories";
    }

    @Override
    public List<Scope> scopes() {
        List<Scope> scopes = new ArrayList<>(PodDirectoryReferences.scopes());
        scopes.add(Scope.object(Node.key(node)));
        return scopes;
    }

    @Override
    public void onChange(Change change, Optional<StoredObject> before, World world, Enqueuer queue) {
        if (change.key().equals(Node.key(node))) {
            if (before.isEmpty()) {
                queue.enqueue(ALL);
            }
            return;
        }
        Set<String> uids = change.isRemoval() ? Set.of() : PodDirectoryReferences.uids(change.object(), node);
        Set<String> free = references.put(change.key(), uids);
        if (!free.isEmpty() && mayBeHere(change.object())) {
            free.stream()
                    .filter(PodDirectory::isPossibleUid)
                    .map(uid -> ObjectKey.clusterWide(RESOURCE, uid))
                    .forEach(queue::enqueue);
        }
    }

    /** Returns whether the object's Pod may have a directory here; Pods of other nodes have none. */
    private boolean mayBeHere(StoredObject holder) {
        return !holder.key().resource().equals(PodDirectoryReferences.PODS) || holder.containsText(node);
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.equals(ALL)) {
            cleaner.sweep(this::isNeeded);
            return Decision.none().requeueAfter(RESYNC_INTERVAL);
        }
        String uid = key.name();
        if (references.isReferenced(uid)) {
            return Decision.none();
        }
        if (containers.mayRun(uid)) {
            return Decision.none().requeueAfter(CONTAINER_POLL_INTERVAL);
        }
        cleaner.remove(uid);
        return Decision.none();
    }

    private boolean isNeeded(String uid) {
        return references.isReferenced(uid) || containers.mayRun(uid);
    }
}
