package dev.mooring.sim;

import dev.mooring.sim.DeterministicScheduler.SimTimer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that runs blocking code in the simulation. It runs only while the scheduler's thread waits for it, so at
 * most one thread is active and shared state needs no synchronization.
 *
 * <p>Interrupting a paused thread wakes it, like a sleeping thread. The scheduler checks for interrupts after each
 * step, so their order also depends on the seed only.
 */
public final class SimThread {
    private static final ThreadLocal<SimThread> CURRENT = new ThreadLocal<>();
    private static final ThreadLocal<Deque<SimThread>> IDLE = ThreadLocal.withInitial(ArrayDeque::new);

    private final Thread thread = new Thread(this::work, "sim-thread");
    private volatile Thread schedulerThread;
    private volatile boolean running;
    private volatile boolean sawInterrupt;
    private Deque<SimThread> idlePool;
    private SimTaskGroup taskGroup;
    private SimSerialExecutor executor;
    private Runnable task;
    private SimTimer timer;
    private boolean asleep;
    private Throwable escaped;

    private SimThread() {
        thread.setDaemon(true);
    }

    /** Returns an idle thread; it goes back to the pool when its task has ended. */
    static SimThread borrow() {
        Deque<SimThread> idle = IDLE.get();
        SimThread borrowed = idle.isEmpty() ? new SimThread() : idle.pop();
        borrowed.idlePool = idle;
        return borrowed;
    }

    /** Runs a task until it pauses or ends. */
    void begin(SimTaskGroup group, SimSerialExecutor on, Runnable work) {
        taskGroup = group;
        executor = on;
        task = work;
        resume();
    }

    /**
     * Pauses the calling simulated thread. No-op on other threads, which cannot wait.
     *
     * @throws InterruptedException if the thread was or is interrupted
     */
    public static void pause(Duration time) throws InterruptedException {
        SimThread self = CURRENT.get();
        if (self != null) {
            self.pauseFor(time);
        }
    }

    /** Throws if the process of the calling thread was killed: it must not change the machines any more. */
    public static void requireAlive() {
        SimThread self = CURRENT.get();
        if (self != null && !self.taskGroup.isAlive()) {
            throw new ProcessKilledError();
        }
    }

    private void pauseFor(Duration time) throws InterruptedException {
        requireAlive();
        if (!Thread.interrupted()) {
            asleep = true;
            timer = taskGroup.schedule().timer(time, executor, this::wakeUp);
            taskGroup.schedule().addSleeping(this);
            running = false;
            LockSupport.unpark(schedulerThread);
            awaitTurn();
            requireAlive();
            if (!sawInterrupt && !Thread.interrupted()) {
                return;
            }
        }
        sawInterrupt = false;
        Thread.interrupted();
        throw new InterruptedException("interrupted while paused");
    }

    private void awaitTurn() {
        while (!running) {
            LockSupport.park(this);
            if (!running && thread.isInterrupted()) {
                // In this order, so that the scheduler always sees one of the two.
                sawInterrupt = true;
                Thread.interrupted();
            }
        }
    }

    boolean wasInterrupted() {
        return thread.isInterrupted() || sawInterrupt;
    }

    /** Resumes after the pause. */
    private void wakeUp() {
        if (asleep) {
            asleep = false;
            taskGroup.schedule().markAwake(this);
            resume();
        }
    }

    /** Resumes after an interrupt, when the scheduler selects its executor. */
    void wake() {
        timer.cancel();
        taskGroup.schedule().markAwake(this);
        executor.execute(() -> {
            if (asleep) {
                asleep = false;
                resume();
            }
        });
    }

    /** Unwinds the task after its process was killed. */
    void unwind() {
        taskGroup.schedule().markAwake(this);
        timer.cancel();
        asleep = false;
        resume();
    }

    /** Runs the thread until it pauses or ends. Called on the scheduler's thread. */
    private void resume() {
        schedulerThread = Thread.currentThread();
        running = true;
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        } else {
            LockSupport.unpark(thread);
        }
        while (running) {
            LockSupport.park(this);
        }
        if (task == null) {
            Throwable thrown = escaped;
            escaped = null;
            taskGroup.removeThread(this);
            idlePool.push(this);
            if (thrown != null) {
                throw new AssertionError("A task of a simulated thread failed", thrown);
            }
        }
    }

    private void work() {
        CURRENT.set(this);
        while (true) {
            awaitTurn();
            Runnable given = task;
            if (given != null) {
                perform(given);
            }
            task = null;
            sawInterrupt = false;
            Thread.interrupted();
            running = false;
            LockSupport.unpark(schedulerThread);
        }
    }

    private void perform(Runnable given) {
        try {
            given.run();
        } catch (ProcessKilledError e) {
            // Expected: the process was killed.
        } catch (Throwable e) {
            escaped = taskGroup.isAlive() ? e : null;
        }
    }
}
