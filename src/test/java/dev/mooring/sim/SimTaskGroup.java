package dev.mooring.sim;

import dev.mooring.sim.DeterministicScheduler.SimTimer;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Executors, timers and coroutines that are killed together, such as those of a process. After {@link #kill} none of
 * its tasks runs; a waiting coroutine is unwound ({@link ProcessKilledError}), and its cleanup code has no effect on
 * the simulated machines.
 */
public final class SimTaskGroup {
    private final DeterministicScheduler schedule;
    private final String name;
    private final List<SimThread> threads = new ArrayList<>();
    private boolean dead;

    public SimTaskGroup(DeterministicScheduler schedule, String name) {
        this.schedule = schedule;
        this.name = name;
    }

    public DeterministicScheduler schedule() {
        return schedule;
    }

    public boolean isAlive() {
        return !dead;
    }

    /** Returns a new executor: an event loop or thread. */
    public SimSerialExecutor executor(String role) {
        return new SimSerialExecutor(this, name + '/' + role);
    }

    /** Returns an executor that runs each task on its own thread, which may wait (see {@link SimThread#pause}). */
    public Executor threadPool() {
        return task -> begin(task);
    }

    private void begin(Runnable task) {
        if (dead) {
            return;
        }
        SimSerialExecutor executor = executor("thread");
        executor.execute(() -> {
            SimThread thread = SimThread.borrow();
            threads.add(thread);
            thread.begin(this, executor, task);
        });
    }

    void removeThread(SimThread thread) {
        threads.remove(thread);
    }

    /** Returns an RxJava scheduler in virtual time. */
    public Scheduler scheduler(String role) {
        return new SimRxScheduler(this, role);
    }

    /** Schedules a task on an executor; dispose to cancel. */
    public Disposable after(Duration delay, SimSerialExecutor executor, Runnable task) {
        SimTimer timer = schedule.timer(delay, executor, task);
        return Disposable.fromRunnable(timer::cancel);
    }

    /** Kills the group. Must not be called by one of its own coroutines. */
    public void kill() {
        if (!dead) {
            dead = true;
            while (!threads.isEmpty()) {
                threads.get(0).unwind();
            }
        }
    }
}
