package dev.mooring.node;

import dev.mooring.volume.WorkerPoolKey;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks on threads: one pending task per key, first in, first out in each worker pool with a limit per pool, and
 * one task per exclusive key at a time. A dead server fills its own pool only. Queued tasks hold no thread. A task that
 * fails affects no other task.
 *
 * <p>A late task is interrupted, and its result is that of {@link Task#expired}. Its thread may still be blocked in the
 * kernel: until it returns, it counts in its pool and keeps its exclusive key, so the next attempt waits for it.
 *
 * <p>A key is pending until its task is settled, which is after its result was recorded. Requests for a pending key are
 * ignored; {@link Task#next} is called under the lock under which the key is released, so a request that was ignored
 * because it came too early is not lost if {@code next} can tell that there is more to do.
 *
 * <p>Thread-safe; never blocks.
 */
public final class KeyedExecutor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KeyedExecutor.class);

    private final int local;
    private final int perServer;
    private final Executor threads;
    private final Function<Runnable, Disposable> deadlines;

    private final Object lock = new Object();
    private final Map<Object, Task<?>> pending = new HashMap<>();
    private final Map<WorkerPoolKey, Pool> pools = new HashMap<>();
    private final Set<Object> busy = new HashSet<>();
    private final Set<Task<?>> running = new HashSet<>();
    private boolean closed;

    private static final class Pool {
        private final Deque<Task<?>> waiting = new ArrayDeque<>();
        private int running;
    }

    /**
     * A task. Has an identity of its own.
     *
     * @param <R> its result
     */
    public abstract static class Task<R> {
        private final Object key;
        private final WorkerPoolKey workerPool;
        private final Object exclusiveKey;
        private Optional<Thread> thread = Optional.empty();
        private Disposable deadline = Disposable.disposed();

        /**
         * Creates a task.
         *
         * @param exclusiveKey the key that two running tasks never share
         */
        protected Task(Object key, WorkerPoolKey workerPool, Object exclusiveKey) {
            this.key = key;
            this.workerPool = workerPool;
            this.exclusiveKey = exclusiveKey;
        }

        /**
         * Checks again whether the task is to be run, since it may have been queued for long. Called under the
         * executor's lock.
         */
        protected boolean begin() {
            return true;
        }

        /** Runs on a thread of its own. May block; is interrupted at the deadline and at shutdown. */
        protected abstract R run() throws InterruptedException;

        /** Returns the result of a task that was interrupted, that threw an exception, or that got no thread. */
        protected abstract R failed(Throwable cause);

        /** Returns the result of a task that did not end before its deadline. */
        protected R expired() {
            throw new IllegalStateException("Task has no deadline: " + this);
        }

        /** Records the result, then calls {@link KeyedExecutor#settle}. Any thread. */
        protected abstract void report(R result);

        /** Returns the task to run next for the key. Called under the executor's lock when the task is settled. */
        protected Optional<? extends Task<?>> next() {
            return Optional.empty();
        }

        @Override
        public String toString() {
            return key.toString();
        }
    }

    /** Work without a result. */
    @FunctionalInterface
    public interface Work {
        void run() throws InterruptedException;
    }

    /**
     * Creates an executor of tasks without deadlines.
     *
     * @param limit of concurrent tasks per worker pool
     * @param threads runs each task immediately on its own thread
     */
    public KeyedExecutor(int limit, Executor threads) {
        this(limit, limit, threads, expire -> Disposable.disposed());
    }

    /**
     * Creates an executor of tasks with deadlines.
     *
     * @param local limit of concurrent tasks in each pool of this machine
     * @param perServer limit of concurrent tasks in each server's pool
     * @param deadline of each task, from the start of its run
     * @param threads runs each task immediately on its own thread
     */
    public KeyedExecutor(int local, int perServer, Duration deadline, Executor threads, Scheduler timers) {
        this(
                local,
                perServer,
                threads,
                expire -> timers.scheduleDirect(expire, deadline.toMillis(), TimeUnit.MILLISECONDS));
    }

    private KeyedExecutor(int local, int perServer, Executor threads, Function<Runnable, Disposable> deadlines) {
        this.local = local;
        this.perServer = perServer;
        this.threads = threads;
        this.deadlines = deadlines;
    }

    /** Queues a task, unless its key is pending. */
    public void submit(Task<?> task) {
        synchronized (lock) {
            if (!closed && !pending.containsKey(task.key)) {
                add(task);
            }
        }
        dispatch();
    }

    /** Queues work without a result, unless its key is pending. */
    public void submit(WorkerPoolKey pool, Object key, Work work) {
        submit(new Task<Optional<Void>>(key, pool, key) {
            @Override
            protected Optional<Void> run() throws InterruptedException {
                work.run();
                return Optional.empty();
            }

            @Override
            protected Optional<Void> failed(Throwable cause) {
                return Optional.empty();
            }

            @Override
            protected void report(Optional<Void> result) {
                settle(this);
            }
        });
    }

    /** Returns the number of pending keys. */
    public int size() {
        synchronized (lock) {
            return pending.size();
        }
    }

    /** Releases the key of a task whose result is recorded or no longer needed. */
    public void settle(Task<?> task) {
        synchronized (lock) {
            forget(task);
        }
        dispatch();
    }

    /** Drops queued tasks and interrupts running ones. Their results are dropped. */
    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            pools.values().forEach(pool -> pool.waiting.clear());
            pending.clear();
            running.forEach(task -> task.thread.ifPresent(Thread::interrupt));
        }
    }

    private void add(Task<?> task) {
        pending.put(task.key, task);
        pools.computeIfAbsent(task.workerPool, name -> new Pool()).waiting.add(task);
    }

    private void forget(Task<?> task) {
        if (pending.remove(task.key, task) && !closed) {
            task.next().ifPresent(this::add);
        }
    }

    private void dispatch() {
        List<Task<?>> admitted = new ArrayList<>();
        synchronized (lock) {
            if (!closed) {
                pools.forEach((name, pool) -> admit(pool, name.isServer() ? perServer : local, admitted));
            }
        }
        admitted.forEach(this::start);
    }

    private void admit(Pool pool, int limit, List<Task<?>> admitted) {
        Iterator<Task<?>> waiting = pool.waiting.iterator();
        while (pool.running < limit && waiting.hasNext()) {
            Task<?> task = waiting.next();
            if (busy.add(task.exclusiveKey)) {
                waiting.remove();
                pool.running++;
                admitted.add(task);
            }
        }
    }

    private <R> void start(Task<R> task) {
        try {
            threads.execute(() -> run(task));
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            task.report(task.failed(e));
            release(task);
        }
    }

    private <R> void run(Task<R> task) {
        try {
            if (!begin(task)) {
                return;
            }
            R result = perform(task);
            if (end(task)) {
                task.report(result);
            } else {
                LOG.atInfo()
                        .addKeyValue("task", task)
                        .addKeyValue("found", result)
                        .log("Task ended after its deadline or a shutdown; dropped its result");
            }
        } finally {
            release(task);
        }
    }

    private <R> boolean begin(Task<R> task) {
        synchronized (lock) {
            if (closed || !task.begin()) {
                forget(task);
                return false;
            }
            task.thread = Optional.of(Thread.currentThread());
            task.deadline = deadlines.apply(() -> expire(task));
            running.add(task);
            return true;
        }
    }

    private static <R> R perform(Task<R> task) {
        try {
            return task.run();
        } catch (InterruptedException e) {
            return task.failed(e);
        } catch (Throwable e) {
            LOG.atError().addKeyValue("task", task).setCause(e).log("Task threw an unexpected exception");
            return task.failed(e);
        }
    }

    /** Ends a task. Returns whether it ended before its deadline and is still wanted. */
    private boolean end(Task<?> task) {
        boolean inTime;
        synchronized (lock) {
            inTime = running.remove(task) && !closed;
            task.thread = Optional.empty();
            task.deadline.dispose();
        }
        // From here on this thread is not interrupted for this task; clear a pending interrupt so that it does not hit
        // the next task.
        Thread.interrupted();
        return inTime;
    }

    private <R> void expire(Task<R> task) {
        synchronized (lock) {
            if (closed || !running.remove(task)) {
                return;
            }
            task.thread.ifPresent(Thread::interrupt);
        }
        task.report(task.expired());
    }

    /** Releases the thread of a task. */
    private void release(Task<?> task) {
        synchronized (lock) {
            Pool pool = pools.get(task.workerPool);
            pool.running--;
            busy.remove(task.exclusiveKey);
            if (pool.running == 0 && pool.waiting.isEmpty()) {
                pools.remove(task.workerPool);
            }
        }
        dispatch();
    }
}
