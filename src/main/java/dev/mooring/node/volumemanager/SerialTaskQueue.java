package dev.mooring.node.volumemanager;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs named tasks on an executor, one at a time, first in, first out. A new task replaces a queued task with the same
 * name. A failed task does not affect the others. Any thread.
 */
final class SerialTaskQueue {
    private static final Logger LOG = LoggerFactory.getLogger(SerialTaskQueue.class);

    private final Executor threads;
    private final Map<String, Runnable> waiting = new LinkedHashMap<>();
    private boolean running;

    SerialTaskQueue(Executor threads) {
        this.threads = threads;
    }

    void run(String name, Runnable task) {
        synchronized (this) {
            waiting.put(name, task);
            if (running) {
                return;
            }
            running = true;
        }
        next();
    }

    private void next() {
        try {
            threads.execute(this::runFirst);
        } catch (RejectedExecutionException e) {
            // Shutting down; the next process finds the remaining work.
            synchronized (this) {
                waiting.clear();
                running = false;
            }
        }
    }

    private void runFirst() {
        Map.Entry<String, Runnable> first = takeFirst();
        try {
            first.getValue().run();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("task", first.getKey()).setCause(e).log("Failed to clean up");
        } finally {
            boolean more;
            synchronized (this) {
                more = !waiting.isEmpty();
                running = more;
            }
            if (more) {
                next();
            }
        }
    }

    private synchronized Map.Entry<String, Runnable> takeFirst() {
        Iterator<Map.Entry<String, Runnable>> all = waiting.entrySet().iterator();
        Map.Entry<String, Runnable> first = Map.entry("", () -> {});
        if (all.hasNext()) {
            Map.Entry<String, Runnable> found = all.next();
            first = Map.entry(found.getKey(), found.getValue());
            all.remove();
        }
        return first;
    }
}
