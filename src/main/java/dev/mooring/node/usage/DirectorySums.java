package dev.mooring.node.usage;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.work.WorkParts;
import dev.mooring.volume.Lane;
import dev.mooring.volume.usage.UsageException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has directories added up, which costs as much as they have files: one at a time, with rests in between that are several times as long as
 * the work was. So with many or large directories each is added up more seldom, and the machine does not notice. Thread-safe.
 */
final class DirectorySums {
    private static final Logger LOG = LoggerFactory.getLogger(DirectorySums.class);

    /** How much longer than the work a rest is. */
    private static final int RESTS = 4;

    private static final Duration SHORTEST_REST = Duration.ofSeconds(1);
    private static final Lane LANE = new Lane("du", "");

    private final WorkParts parts;
    private final LaneRunner lanes;
    private final Sum sum;
    private final Found found;
    private final Deque<Directory> waiting = new ArrayDeque<>();
    private final Set<ObjectKey> taken = new HashSet<>();
    private boolean busy;

    private record Directory(ObjectKey claim, Path path) {}

    /** Adds up. Blocks for at most its deadline. */
    @FunctionalInterface
    interface Sum {
        long of(Path directory) throws UsageException, InterruptedException;
    }

    /** Takes what came of it. */
    interface Found {
        void sum(ObjectKey claim, long bytes);

        void nothing(ObjectKey claim);
    }

    DirectorySums(WorkParts parts, LaneRunner lanes, Sum sum, Found found) {
        this.parts = parts;
        this.lanes = lanes;
        this.sum = sum;
        this.found = found;
    }

    /** Has it added up when its turn comes. */
    void request(ObjectKey claim, Path path) {
        synchronized (this) {
            if (!taken.add(claim)) {
                return;
            }
            waiting.add(new Directory(claim, path));
        }
        next();
    }

    private void next() {
        Directory directory;
        synchronized (this) {
            if (busy || waiting.isEmpty()) {
                return;
            }
            busy = true;
            directory = waiting.poll();
        }
        lanes.offer(LANE, directory, () -> add(directory));
    }

    private void add(Directory directory) throws InterruptedException {
        Instant begun = parts.clock().instant();
        try {
            found.sum(directory.claim(), sum.of(directory.path()));
        } catch (UsageException e) {
            LOG.atDebug()
                    .addKeyValue("object", directory.claim())
                    .log("Expected to add up {}, but {}", directory.path(), e.getMessage());
            found.nothing(directory.claim());
        } finally {
            Duration took = Duration.between(begun, parts.clock().instant());
            Duration rest = took.multipliedBy(RESTS);
            long millis = Math.max(SHORTEST_REST.toMillis(), rest.toMillis());
            parts.timers().scheduleDirect(() -> rested(directory), millis, TimeUnit.MILLISECONDS);
        }
    }

    private void rested(Directory directory) {
        synchronized (this) {
            busy = false;
            taken.remove(directory.claim());
        }
        next();
    }
}
