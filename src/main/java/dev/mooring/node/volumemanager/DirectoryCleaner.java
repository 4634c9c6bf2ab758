package dev.mooring.node.volumemanager;

import dev.mooring.control.Effect;
import dev.mooring.control.EffectExecutor;
import dev.mooring.host.PathException;
import dev.mooring.model.EventReasons;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.WorldPort;
import dev.mooring.node.volumemanager.PodDirectoryController.RemoveDirectory;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.work.Leftover;
import dev.mooring.volume.work.PodDirectory;
import dev.mooring.volume.work.PodDirectoryRemoval;
import dev.mooring.world.World;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes Pod directories from the local disk, one at a time, and warns of those that must stay. A request is merged
 * with one that is queued, but not with one that is running: that may have been too early. Any thread.
 */
public final class DirectoryCleaner implements EffectExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryCleaner.class);

    private final String node;
    private final PodDirectory directory;
    private final WorldPort world;
    private final PodStateProvider containers;
    private final NodeWarnings warnings;
    private final KeyedExecutor executor;
    private final Set<Effect> queued = ConcurrentHashMap.newKeySet();

    /**
     * Creates a cleaner.
     *
     * @param node name of the node
     * @param threads runs the removals; uses one thread at a time
     */
    public DirectoryCleaner(
            String node,
            PodDirectory directory,
            WorldPort world,
            PodStateProvider containers,
            NodeWarnings warnings,
            Executor threads) {
        this.node = node;
        this.directory = directory;
        this.world = world;
        this.containers = containers;
        this.warnings = warnings;
        this.executor = new KeyedExecutor(1, threads);
    }

    @Override
    public void execute(Effect effect) {
        if (queued.add(effect)) {
            executor.submit(WorkerPoolKey.LOCAL, new Object(), () -> perform(effect));
        }
    }

    private void perform(Effect effect) {
        queued.remove(effect);
        if (effect instanceof RemoveDirectory removal) {
            remove(removal.podUid());
        } else {
            sweep();
        }
    }

    private void sweep() {
        Set<String> present;
        try {
            present = new HashSet<>(directory.podUids());
        } catch (PathException e) {
            LOG.atWarn()
                    .addKeyValue("node", node)
                    .log("Failed to list Pod directories; retrying later: {}", e.getMessage());
            return;
        }
        // A directory is created after its Pod is known, and was listed before this World was read: so this World has
        // its Pod.
        World now = world.world();
        present.removeIf(uid -> PodDirectoryReferences.isReferenced(now, node, uid) || containers.mayRun(uid));
        present.forEach(this::remove);
    }

    private void remove(String podUid) {
        try {
            PodDirectoryRemoval removal = directory.remove(podUid);
            if (removal instanceof PodDirectoryRemoval.Kept kept) {
                String text = "orphaned pod \"" + podUid + "\" found, but " + kept.reason()
                        + ". Nothing was deleted; the directory is removed automatically after it is unmounted";
                warnings.warn(podUid, EventReasons.ORPHANED_POD_DIRECTORY, text, text);
            } else if (removal instanceof PodDirectoryRemoval.HasLeftovers leftovers) {
                warn(podUid, leftovers.leftovers());
            } else {
                warnings.forget(podUid);
                LOG.atDebug()
                        .addKeyValue("node", node)
                        .addKeyValue("pod", podUid)
                        .log("Removed Pod directory");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void warn(String podUid, List<Leftover> all) {
        String found = "orphaned pod \"" + podUid + "\" found, but ";
        String first = all.get(0).toString();
        String more = all.size() == 1 ? "" : " (and " + (all.size() - 1) + " more, see the log)";
        String advice = ". Nothing was deleted: inspect the files and move them away; empty directories are then"
                + " removed automatically";
        String list = all.stream().map(Leftover::toString).collect(Collectors.joining("; "));
        warnings.warn(
                podUid, EventReasons.ORPHANED_POD_DIRECTORY, found + first + more + advice, found + list + advice);
    }
}
