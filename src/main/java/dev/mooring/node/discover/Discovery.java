package dev.mooring.node.discover;

import dev.mooring.control.Backoff;
import dev.mooring.node.WorldPort;
import dev.mooring.volume.path.MountTable;
import dev.mooring.world.Outcome;
import dev.mooring.world.Proposal;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks for local disks: at the start, when the kernel says that an entry came or went, and now and then, because it says nothing when
 * something is mounted. Each time everything is compared with the World, so nothing depends on what was seen before.
 *
 * <p>For one thread, which waits: for changes, for disks, and for the ledger.
 */
public final class Discovery {
    private static final Logger LOG = LoggerFactory.getLogger(Discovery.class);

    /** Changes come in swarms; when it is quiet for so long, the swarm is over. */
    private static final Duration QUIET = Duration.ofMillis(200);

    /** Swarms that never end are looked at all the same. */
    private static final int MAX_SWARM = 20;

    /** After something could not be written down. */
    private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(30));

    private final String node;
    private final List<Directory> directories;
    private final Duration rescan;
    private final WorldPort world;
    private final Clock clock;
    private final Map<Path, WatchKey> watched = new HashMap<>();
    private Set<String> knownProblems = Set.of();
    private int failures;

    /**
     * @param node its name
     * @param rescan how often to look if nothing seems to change
     */
    public Discovery(String node, List<Directory> directories, Duration rescan, WorldPort world, Clock clock) {
        this.node = node;
        this.directories = List.copyOf(directories);
        this.rescan = rescan;
        this.world = world;
        this.clock = clock;
    }

    /** Works until it is stopped, which takes an interrupt too, or until it breaks. */
    void run(BooleanSupplier stopped) throws IOException, InterruptedException {
        try (WatchService changes = FileSystems.getDefault().newWatchService()) {
            while (!stopped.getAsBoolean()) {
                Duration wait = look(changes, stopped);
                await(changes, wait);
            }
        } finally {
            watched.clear();
        }
    }

    /** How long to wait for changes until the next look. */
    private Duration look(WatchService changes, BooleanSupplier stopped) throws IOException, InterruptedException {
        MountTable mounts = MountTable.read();
        // Before looking, so that what comes after it is told.
        directories.forEach(each -> watch(each.directory(), mounts, changes));
        Survey survey = new DirectoryScan(mounts).of(directories);
        if (stopped.getAsBoolean()) {
            return Duration.ZERO;
        }
        DiscoveryPlan plan = DiscoveryPlan.of(survey, world.world(), node, clock.instant());
        tellNewProblems(survey, plan);
        for (Proposal proposal : plan.proposals()) {
            if (!happens(proposal)) {
                failures++;
                return BACKOFF.after(failures);
            }
        }
        failures = 0;
        return rescan;
    }

    private void watch(Path directory, MountTable mounts, WatchService changes) {
        WatchKey key = watched.get(directory);
        if ((key != null && key.isValid())
                || DirectoryScan.remoteType(mounts, directory).isPresent()) {
            return;
        }
        try {
            watched.put(
                    directory,
                    directory.register(
                            changes, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_DELETE));
        } catch (IOException e) {
            // Looking at it fails too and says so; until then it is looked at now and then.
            watched.remove(directory);
        }
    }

    private boolean happens(Proposal proposal) throws InterruptedException {
        Object found;
        try {
            Outcome outcome = world.propose(proposal).toCompletableFuture().get();
            if (outcome instanceof Outcome.Committed) {
                LOG.atInfo()
                        .addKeyValue("object", proposal.writes().get(0).key())
                        .addKeyValue("node", node)
                        .log("Local disks: {}", proposal.type());
                return true;
            }
            found = outcome;
        } catch (ExecutionException e) {
            found = e.getCause();
        }
        LOG.atWarn()
                .addKeyValue("object", proposal.writes().get(0).key())
                .addKeyValue("found", found)
                .addKeyValue("next", "everything is looked at again soon")
                .log("Expected to write down what was found on the local disks, but could not: {}", proposal.type());
        return false;
    }

    private void tellNewProblems(Survey survey, DiscoveryPlan plan) {
        Set<String> problems = new HashSet<>(survey.problems());
        problems.addAll(plan.problems());
        for (String each : problems) {
            if (!knownProblems.contains(each)) {
                LOG.atWarn().addKeyValue("node", node).log(each);
            }
        }
        knownProblems = problems;
    }

    private static void await(WatchService changes, Duration wait) throws InterruptedException {
        WatchKey changed = changes.poll(wait.toMillis(), TimeUnit.MILLISECONDS);
        for (int i = 0; changed != null && i < MAX_SWARM; i++) {
            changed.pollEvents();
            changed.reset();
            changed = changes.poll(QUIET.toMillis(), TimeUnit.MILLISECONDS);
        }
        if (changed != null) {
            changed.reset();
        }
    }
}
