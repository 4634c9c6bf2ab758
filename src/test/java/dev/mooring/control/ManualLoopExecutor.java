package dev.mooring.control;

import io.reactivex.rxjava3.disposables.Disposable;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A loop executor driven by the test: tasks run and time passes only when the test calls for it. */
final class ManualLoopExecutor implements LoopExecutor {
    private static final class Timer implements Disposable {
        private final long due;
        private final Runnable task;
        private boolean disposed;

        private Timer(long due, Runnable task) {
            this.due = due;
            this.task = task;
        }

        @Override
        public void dispose() {
            disposed = true;
        }

        @Override
        public boolean isDisposed() {
            return disposed;
        }
    }

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final List<Timer> timers = new ArrayList<>();
    private long nanos;

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Disposable schedule(Duration delay, Runnable task) {
        Timer timer = new Timer(nanos + delay.toNanos(), task);
        timers.add(timer);
        return timer;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    Clock clock() {
        return new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            @Override
            public Instant instant() {
                return Instant.parse("2026-01-01T00:00:00Z").plusNanos(nanos);
            }
        };
    }

    /** Returns the number of timers that are set. */
    int timers() {
        timers.removeIf(Timer::isDisposed);
        return timers.size();
    }

    /** Runs one task; waits for it if none is queued. */
    void step() {
        try {
            Runnable task = tasks.poll(100, TimeUnit.SECONDS);
            if (task == null) {
                throw new AssertionError("No task was queued within 100 seconds");
            }
            task.run();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void runUntil(BooleanSupplier reached) {
        while (!reached.getAsBoolean()) {
            step();
        }
    }

    /** Runs all queued tasks, and those that they queue. */
    void runAll() {
        while (!tasks.isEmpty()) {
            step();
        }
    }

    void advance(Duration time) {
        nanos += time.toNanos();
        for (Timer timer : List.copyOf(timers)) {
            if (!timer.isDisposed() && timer.due <= nanos) {
                timers.remove(timer);
                timer.task.run();
            }
        }
    }
}
