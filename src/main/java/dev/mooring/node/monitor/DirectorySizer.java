package dev.mooring.node.monitor;

import dev.mooring.model.ObjectKey;
import dev.mooring.node.KeyedExecutor;
import dev.mooring.node.volumemanager.WorkContext;
import dev.mooring.volume.WorkerPoolKey;
import dev.mooring.volume.work.UsageException;
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
 * Computes directory sizes, one at a time, with pauses several times as long as the computation took. Many or large
 * directories are therefore measured less often, and the load stays low. Thread-safe.
 */
final class DirectorySizer {
    private static final Logger LOG = LoggerFactory.getLogger(DirectorySizer.class);

    /** Ratio of pause to computation time. */
    private static final int REST_FACTOR = 4;

    private static final Duration SHORTEST_REST = Duration.ofSeconds(1);
    private static final WorkerPoolKey POOL = new WorkerPoolKey("du", "");

    private final WorkContext context;
    private final KeyedExecutor executor;
    private final SizeReader sizeReader;
    private final SizeListener listener;
    private final Deque<UsageTarget> waiting = new ArrayDeque<>();
    private final Deque<UsageTarget> unmounted = new ArrayDeque<>();
    private final Set<ObjectKey> taken = new HashSet<>();
    private boolean busy;

    /** Computes the size of a directory. Blocks for at most its deadline. */
    @FunctionalInterface
    interface SizeReader {
        long size(Path directory) throws UsageException, InterruptedException;
    }

    /** Receives the result. */
    interface SizeListener {
        void onSize(ObjectKey claim, long bytes);

        void onFailure(ObjectKey claim);
    }

    DirectorySizer(WorkContext context, KeyedExecutor executor, SizeReader sizeReader, SizeListener listener) {
        this.context = context;
        this.executor = executor;
        this.sizeReader = sizeReader;
        this.listener = listener;
    }

    /** Queues a directory; mounted volumes come before unmounted ones. */
    void request(UsageTarget directory) {
        synchronized (this) {
            if (!taken.add(directory.claim())) {
                return;
            }
            (directory.kind() == UsageTarget.Kind.DIRECTORY ? unmounted : waiting).add(directory);
        }
        next();
    }

    private void next() {
        UsageTarget directory;
        synchronized (this) {
            if (busy || taken.isEmpty()) {
                return;
            }
            busy = true;
            directory = (waiting.isEmpty() ? unmounted : waiting).remove();
        }
        executor.submit(POOL, directory, () -> measure(directory));
    }

    private void measure(UsageTarget directory) throws InterruptedException {
        Instant start = context.clock().instant();
        try {
            listener.onSize(directory.claim(), sizeReader.size(directory.path()));
        } catch (UsageException e) {
            LOG.atDebug()
                    .addKeyValue("object", directory.claim())
                    .log("Failed to compute size of {}: {}", directory.path(), e.getMessage());
            listener.onFailure(directory.claim());
        } finally {
            Duration took = Duration.between(start, context.clock().instant());
            Duration rest = took.multipliedBy(REST_FACTOR);
            long millis = Math.max(SHORTEST_REST.toMillis(), rest.toMillis());
            context.timers().scheduleDirect(() -> onRested(directory), millis, TimeUnit.MILLISECONDS);
        }
    }

    private void onRested(UsageTarget directory) {
        synchronized (this) {
            busy = false;
            taken.remove(directory.claim());
        }
        next();
    }
}
