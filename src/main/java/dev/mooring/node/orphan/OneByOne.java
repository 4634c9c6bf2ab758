package dev.mooring.node.orphan;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks on threads of an executor, one after the other, in the order in which they came. Each has a name; one that is given while
 * another of the same name is waiting takes its place. One that fails does not keep the others. Any thread.
 */
final class OneByOne {
    private static final Logger LOG = LoggerFactory.getLogger(OneByOne.class);

    private final Executor threads;
    private final Map<String, Runnable> waiting = new LinkedHashMap<>();
    private boolean running;

    OneByOne(Executor threads) {
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
            // The process is being closed; the next one finds what there is to do.
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
            LOG.atError()
                    .addKeyValue("task", first.getKey())
                    .setCause(e)
                    .log("Expected to clean up, but failed; the others are not affected");
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
