package dev.mooring.node.monitor;

import dev.mooring.node.volumemanager.WorkerPools;
import dev.mooring.volume.WorkerPoolKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs small best-effort tasks, one per worker pool at a time, so that a hanging task delays only its own pool. Drops a
 * task if one with the same key is pending. Thread-safe; never blocks.
 */
public final class PooledTaskRunner {
    private static final Logger LOG = LoggerFactory.getLogger(PooledTaskRunner.class);

    private final Executor threads;
    private final Object lock = new Object();
    private final WorkerPools<Task> pools = new WorkerPools<>(1, 1);
    private final Set<Object> taken = new HashSet<>();

    /**
     * Creates a runner.
     *
     * @param threads runs each task immediately on its own thread
     */
    public PooledTaskRunner(Executor threads) {
        this.threads = threads;
    }

    /** A task. May block; interrupted at shutdown. */
    @FunctionalInterface
    public interface Work {
        void run() throws InterruptedException;
    }

    private record Task(WorkerPoolKey workerPool, Object exclusiveKey, Work work) implements WorkerPools.PoolTask {}

    /**
     * Queues a task, unless one with the same key is queued or running.
     *
     * @param key the key
     */
    public void offer(WorkerPoolKey pool, Object key, Work work) {
        synchronized (lock) {
            if (!taken.add(key)) {
                return;
            }
            pools.add(new Task(pool, key, work));
        }
        dispatch();
    }

    private void dispatch() {
        List<Task> admitted;
        synchronized (lock) {
            admitted = pools.admit();
        }
        for (Task task : admitted) {
            try {
                threads.execute(() -> run(task));
            } catch (RejectedExecutionException e) {
                // shutting down
                release(task);
            }
        }
    }

    private void run(Task task) {
        try {
            task.work().run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError | StackOverflowError e) {
            LOG.atError()
                    .addKeyValue("object", task.exclusiveKey())
                    .setCause(e)
                    .log("Failed to inspect volume; retrying later");
        } finally {
            release(task);
            dispatch();
        }
    }

    private void release(Task task) {
        synchronized (lock) {
            pools.release(task);
            taken.remove(task.exclusiveKey());
        }
    }
}
