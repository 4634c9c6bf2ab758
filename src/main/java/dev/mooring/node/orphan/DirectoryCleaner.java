package dev.mooring.node.orphan;

import dev.mooring.node.WorldPort;
import dev.mooring.volume.orphan.Leftover;
import dev.mooring.volume.orphan.PodDirectory;
import dev.mooring.volume.orphan.Removal;
import dev.mooring.volume.path.PathException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes directories of Pods on this machine's disk, one at a time, and warns of those it must leave. Before a directory goes of which only
 * the disk has told, the World is searched for its Pod: who says that nobody knows it may be behind. Any thread.
 */
public final class DirectoryCleaner implements Cleaner {
    static final String REASON = "OrphanedPodDirectory";

    private static final Logger LOG = LoggerFactory.getLogger(DirectoryCleaner.class);

    /** No Pod has such a uid. */
    private static final String SWEEP = "*";

    private final String node;
    private final PodDirectory directory;
    private final WorldPort world;
    private final NodeWarnings warnings;
    private final OneByOne tasks;

    /**
     * @param node its name
     * @param threads on which to do it; uses one at a time
     */
    public DirectoryCleaner(
            String node, PodDirectory directory, WorldPort world, NodeWarnings warnings, Executor threads) {
        this.node = node;
        this.directory = directory;
        this.world = world;
        this.warnings = warnings;
        this.tasks = new OneByOne(threads);
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
                    .log("Expected to list the directories of Pods, but {}; it is tried again later", e.getMessage());
            return;
        }
        present.removeIf(known);
        if (!present.isEmpty()) {
            // A directory is made after its Pod is known, and was seen before this World: so its Pod would be in it.
            present.removeAll(Holders.uids(world.world(), node));
            present.forEach(this::removeNow);
        }
    }

    private void removeNow(String podUid) {
        try {
            Removal removal = directory.remove(podUid);
            if (removal instanceof Removal.Kept kept) {
                String text = "orphaned pod \"" + podUid + "\" found, but " + kept.reason()
                        + ". Nothing was deleted; when it is unmounted, the directory is removed by itself";
                warnings.warn(podUid, REASON, text, text);
            } else if (removal instanceof Removal.Leftovers leftovers) {
                warn(podUid, leftovers.all());
            } else {
                warnings.forget(podUid);
                LOG.atDebug()
                        .addKeyValue("node", node)
                        .addKeyValue("pod", podUid)
                        .log("Removed a Pod's directory");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void warn(String podUid, List<Leftover> all) {
        String found = "orphaned pod \"" + podUid + "\" found, but ";
        String first = all.get(0).toString();
        String more = all.size() == 1 ? "" : " (and " + (all.size() - 1) + " more, see the log)";
        String advice = ". Nothing of it was deleted: look at what is there and move it to where it belongs; what is"
                + " empty is then removed by itself";
        String list = all.stream().map(Leftover::toString).collect(Collectors.joining("; "));
        warnings.warn(podUid, REASON, found + first + more + advice, found + list + advice);
    }
}
