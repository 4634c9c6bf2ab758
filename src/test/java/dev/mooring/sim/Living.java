package dev.mooring.sim;

import dev.mooring.sim.Schedule.Alarm;
import io.reactivex.rxjava3.core.Scheduler;
import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * What lives and dies together, such as a process: its strands, timers and coroutines. After {@link #kill} nothing of it is done any more; a coroutine
 * that waits in the middle of something is ended there ({@link Killed}), and whatever it tries to do to the world outside on its way out does not happen.
 */
public final class Living {
    private final Schedule schedule;
    private final String name;
    private final List<Carrier> coroutines = new ArrayList<>();
    private boolean dead;

    public Living(Schedule schedule, String name) {
        this.schedule = schedule;
        this.name = name;
    }

    public Schedule schedule() {
        return schedule;
    }

    public boolean isAlive() {
        return !dead;
    }

    /** An event loop or thread of its own. */
    public Strand strand(String of) {
        return new Strand(this, name + '/' + of);
    }

    /** Gives each task a thread of its own, which may wait (see {@link Carrier#pause}). */
    public Executor threads() {
        return task -> begin(task);
    }

    private void begin(Runnable task) {
        if (dead) {
            return;
        }
        Strand strand = strand("thread");
        strand.execute(() -> {
            Carrier carrier = Carrier.borrow();
            coroutines.add(carrier);
            carrier.begin(this, strand, task);
        });
    }

    void ended(Carrier carrier) {
        coroutines.remove(carrier);
    }

    /** Timers and workers in virtual time. */
    public Scheduler scheduler(String of) {
        return new SimScheduler(this, of);
    }

    /** Has a task run after a while on a strand, unless disposed of. */
    public Disposable after(Duration delay, Strand strand, Runnable task) {
        Alarm alarm = schedule.alarm(delay, strand, task);
        return Disposable.fromRunnable(alarm::turnOff);
    }

    /** Ends everything where it is. Not called by one of its own coroutines. */
    public void kill() {
        if (!dead) {
            dead = true;
            while (!coroutines.isEmpty()) {
                coroutines.get(0).unwind();
            }
        }
    }
}
