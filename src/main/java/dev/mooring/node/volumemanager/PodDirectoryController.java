package dev.mooring.node.volumemanager;

import dev.mooring.control.Controller;
import dev.mooring.control.Decision;
import dev.mooring.control.Effect;
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

/**
 * Removes the directory of a Pod when the Pod is gone, nothing of it is mounted or desired on the node, and no
 * container of it may run. Scans for directories without any object, such as after a crash, at the start and
 * periodically.
 *
 * <p>Keys are synthetic: {@code poddirectories/<uid>}, and {@link #ALL} for a scan of the disk. They refer to no
 * object. A removed Pod never returns, so its removal event is sufficient.
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

    /** What happens to Pod directories. Repeated effects are merged while they are queued. */
    public sealed interface DirectoryEffect extends Effect {}

    /** Removes the directory of a Pod that is no longer referenced. */
    public record RemoveDirectory(String podUid) implements DirectoryEffect {}

    /** Removes all directories of Pods that are not referenced. */
    public record SweepDirectories() implements DirectoryEffect {}

    /**
     * Creates the controller.
     *
     * @param node name of the node
     */
    public PodDirectoryController(String node, PodStateProvider containers) {
        this.node = node;
        this.containers = containers;
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
        if (mayBeHere(change.object())) {
            PodDirectoryReferences.affectedBy(change, before, node).stream()
                    .filter(uid ->
                            PodDirectory.isPossibleUid(uid) && !PodDirectoryReferences.isReferenced(world, node, uid))
                    .map(uid -> ObjectKey.clusterWide(RESOURCE, uid))
                    .forEach(queue::enqueue);
        }
    }

    /** Returns whether the object's Pods may have a directory here; Pods of other nodes have none. */
    private boolean mayBeHere(StoredObject holder) {
        return holder.containsText(node);
    }

    @Override
    public Decision reconcile(World world, ObjectKey key, Instant now) {
        if (key.equals(ALL)) {
            return Decision.none().withEffects(new SweepDirectories()).requeueAfter(RESYNC_INTERVAL);
        }
        String uid = key.name();
        if (PodDirectoryReferences.isReferenced(world, node, uid)) {
            return Decision.none();
        }
        if (containers.mayRun(uid)) {
            return Decision.none().requeueAfter(CONTAINER_POLL_INTERVAL);
        }
        return Decision.none().withEffects(new RemoveDirectory(uid));
    }
}
