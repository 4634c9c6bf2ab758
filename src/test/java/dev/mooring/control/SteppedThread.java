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

/** A loop's thread that is the test's own: tasks run when the test lets them, and time passes when it says so. */
final class SteppedThread implements LoopThread {
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
    public void run(Runnable task) {
        tasks.add(task);
    }

    @Override
    public Disposable after(Duration delay, Runnable task) {
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

    /** How many timers are set. */
    int timers() {
        timers.removeIf(Timer::isDisposed);
        return timers.size();
    }

    /** Runs one task, waiting for it if need be. */
    void step() {
        try {
            Runnable task = tasks.poll(30, TimeUnit.SECONDS);
            if (task == null) {
                throw new AssertionError("Expected something to happen, but nothing does");
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

    /** Runs what is there, and what that leads to at once. */
    void runAll() {
        while (!tasks.isEmpty()) {
            step();
        }
    }

    void pass(Duration time) {
        nanos += time.toNanos();
        for (Timer timer : List.copyOf(timers)) {
            if (!timer.isDisposed() && timer.due <= nanos) {
                timers.remove(timer);
                timer.task.run();
            }
        }
    }
}
