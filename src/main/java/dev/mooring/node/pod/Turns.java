package dev.mooring.node.pod;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has so many tasks done at a time, each on a thread; the others wait in line, without one. Thread-safe; blocks nobody. */
final class Turns {
    private static final Logger LOG = LoggerFactory.getLogger(Turns.class);

    private final int most;
    private final Executor threads;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int taken;

    /** @param threads gives each task a thread at once */
    Turns(int most, Executor threads) {
        this.most = most;
        this.threads = threads;
    }

    /** Has it done when it is its turn; not at all if the process ends before. */
    void run(Runnable task) {
        synchronized (this) {
            waiting.add(task);
        }
        begin();
    }

    private void begin() {
        for (Runnable task = next(); task != null; task = next()) {
            Runnable now = task;
            try {
                threads.execute(() -> {
                    try {
                        now.run();
                    } finally {
                        leave();
                        begin();
                    }
                });
            } catch (RejectedExecutionException e) {
                LOG.debug("Not doing what waited for its turn: the process is ending");
                leave();
            }
        }
    }

    private synchronized Runnable next() {
        if (taken == most || waiting.isEmpty()) {
            return null;
        }
        taken++;
        return waiting.poll();
    }

    private synchronized void leave() {
        taken--;
    }
}
