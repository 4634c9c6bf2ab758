package dev.mooring.node.volumemanager;

import dev.mooring.host.PathException;
import dev.mooring.model.EventReasons;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.work.Leftover;
import dev.mooring.volume.work.PodDirectory;
import dev.mooring.volume.work.PodDirectoryRemoval;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes Pod directories from the local disk, one at a time, and warns of those that must stay. Before it removes a
 * directory found by a scan, it checks the current World for the Pod, because the caller's index may be outdated. Any
 * thread.
 */
public final class DirectoryCleaner implements PodDirectoryCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryCleaner.class);

    /** Not a valid UID. */
    private static final String SWEEP = "*";

    private final String node;
    private final PodDirectory directory;
    private final WorldPort world;
    private final NodeWarnings warnings;
    private final SerialTaskQueue tasks;

    /**
     * Creates a cleaner.
     *
     * @param node name of the node
     * @param threads runs the removals; uses one thread at a time
     */
    public DirectoryCleaner(
            String node, PodDirectory directory, WorldPort world, NodeWarnings warnings, Executor threads) {
        this.node = node;
        this.directory = directory;
        this.world = world;
        this.warnings = warnings;
        this.tasks = new SerialTaskQueue(threads);
    }

    @Override
    public void remove(String podUid) {
        tasks.run(podUid, () -> removeNow(podUid));
    }

    @Override
    public void sweep(Predicate<String> known) {
        tasks.run(SWEEP, () -> sweepNow(known));
    }

    private void sweepNow(Predicate<String> known) {
        Set<String> present;
        try {
            present = new HashSet<>(directory.podUids());
        } catch (PathException e) {
            LOG.atWarn()
                    .addKeyValue("node", node)
                    .log("Failed to list Pod directories; retrying later: {}", e.getMessage());
            return;
        }
        present.removeIf(known);
        if (!present.isEmpty()) {
            // A directory is created after its Pod is known, and was listed before this World was read: so this World
            // has its Pod.
            present.removeAll(PodDirectoryReferences.uids(world.world(), node));
            present.forEach(this::removeNow);
        }
    }

    private void removeNow(String podUid) {
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
