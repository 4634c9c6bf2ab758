package dev.mooring.node.usage;

import dev.mooring.node.lane.Lanes;
import dev.mooring.volume.Lane;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has small tasks done that nobody waits for, one of a lane at a time: whatever hangs holds up its own lane only. What is to be done anyway
 * is not taken on twice. Keeps nothing that matters. Thread-safe; never blocks.
 */
public final class LaneRunner {
    private static final Logger LOG = LoggerFactory.getLogger(LaneRunner.class);

    private final Executor threads;
    private final Object lock = new Object();
    private final Lanes<Task> lanes = new Lanes<>(1, 1);
    private final Set<Object> taken = new HashSet<>();

    /** @param threads gives each task a thread at once */
    public LaneRunner(Executor threads) {
        this.threads = threads;
    }

    /** May block, and is interrupted when the process ends. */
    @FunctionalInterface
    public interface Work {
        void run() throws InterruptedException;
    }

    private record Task(Lane lane, Object exclusive, Work work) implements Lanes.Entry {}

    /**
     * Has it done when its turn comes, unless one about the same thing waits or is being done.
     *
     * @param about what no two are about
     */
    public void offer(Lane lane, Object about, Work work) {
        synchronized (lock) {
            if (!taken.add(about)) {
                return;
            }
            lanes.add(new Task(lane, about, work));
        }
        dispatch();
    }

    private void dispatch() {
        List<Task> admitted;
        synchronized (lock) {
            admitted = lanes.admit();
        }
        for (Task task : admitted) {
            try {
                threads.execute(() -> run(task));
            } catch (RejectedExecutionException e) {
                // The process is ending.
                left(task);
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
                    .addKeyValue("object", task.exclusive())
                    .setCause(e)
                    .log("Expected to look at a volume, but it failed; it is looked at again later");
        } finally {
            left(task);
            dispatch();
        }
    }

    private void left(Task task) {
        synchronized (lock) {
            lanes.left(task);
            taken.remove(task.exclusive());
        }
    }
}
