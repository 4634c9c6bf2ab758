package dev.mooring.node.volumemanager;

import dev.mooring.control.Backoff;
import dev.mooring.host.MountTable;
import dev.mooring.node.WorldPort;
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
 * Discovers local volumes: at the start, on inotify events, and periodically, because mounts cause no events. Each scan
 * is compared with the World, so no state is kept between scans.
 *
 * <p>For one thread, which blocks on changes, disks and the ledger.
 */
public final class LocalVolumeDiscovery {
    private static final Logger LOG = LoggerFactory.getLogger(LocalVolumeDiscovery.class);

    /** Events arrive in bursts; a burst is over after this quiet period. */
    private static final Duration QUIET_PERIOD = Duration.ofMillis(200);

    /** Scans after this many events, even if a burst does not end. */
    private static final int MAX_BURST = 20;

    private final String node;
    private final List<DiscoveryDirectory> directories;
    private final Duration rescan;
    private final WorldPort world;
    private final Clock clock;
    private final Map<Path, WatchKey> watched = new HashMap<>();
    private Set<String> knownProblems = Set.of();
    private int failures;

    /**
     * Creates a discovery.
     *
     * @param node name of the node
     * @param rescan interval of scans without changes
     */
    public LocalVolumeDiscovery(
            String node, List<DiscoveryDirectory> directories, Duration rescan, WorldPort world, Clock clock) {
        this.node = node;
        this.directories = List.copyOf(directories);
        this.rescan = rescan;
        this.world = world;
        this.clock = clock;
    }

    /** Runs until it is stopped, which also needs an interrupt, or fails. */
    void run(BooleanSupplier stopped) throws IOException, InterruptedException {
        try (WatchService changes = FileSystems.getDefault().newWatchService()) {
            while (!stopped.getAsBoolean()) {
                Duration wait = scan(changes, stopped);
                await(changes, wait);
            }
        } finally {
            watched.clear();
        }
    }

    /** Scans once and returns how long to wait for changes. */
    private Duration scan(WatchService changes, BooleanSupplier stopped) throws IOException, InterruptedException {
        MountTable mounts = MountTable.read();
        // Watch before the scan, so that later changes are reported.
        directories.forEach(each -> watch(each.directory(), mounts, changes));
        ScanResult survey = new DirectoryScan(mounts).of(directories);
        if (stopped.getAsBoolean()) {
            return Duration.ZERO;
        }
        DiscoveryPlan plan = DiscoveryPlan.of(survey, world.world(), node, clock.instant());
        logNewProblems(survey, plan);
        for (Proposal proposal : plan.proposals()) {
            if (!commit(proposal)) {
                failures++;
                return Backoff.NODE_PROPOSAL.after(failures);
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
            // The scan fails, too, and reports the error; until then the directory is scanned periodically.
            watched.remove(directory);
        }
    }

    private boolean commit(Proposal proposal) throws InterruptedException {
        Object found;
        try {
            Outcome outcome = world.propose(proposal).toCompletableFuture().get();
            if (outcome instanceof Outcome.Committed) {
                LOG.atInfo()
                        .addKeyValue("object", proposal.writes().get(0).key())
                        .addKeyValue("node", node)
                        .log("Updated discovered local volumes: {}", proposal.type());
                return true;
            }
            found = outcome;
        } catch (ExecutionException e) {
            found = e.getCause();
        }
        LOG.atWarn()
                .addKeyValue("object", proposal.writes().get(0).key())
                .addKeyValue("found", found)
                .addKeyValue("next", "the next scan retries it")
                .log("Failed to record discovered local volumes: {}", proposal.type());
        return false;
    }

    private void logNewProblems(ScanResult survey, DiscoveryPlan plan) {
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
        for (int i = 0; changed != null && i < MAX_BURST; i++) {
            changed.pollEvents();
            changed.reset();
            changed = changes.poll(QUIET_PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        }
        if (changed != null) {
            changed.reset();
        }
    }
}
