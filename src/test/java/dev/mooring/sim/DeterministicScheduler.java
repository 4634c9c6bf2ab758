package dev.mooring.sim;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Runs a simulation deterministically. Each thread, timer or event loop of the program is a {@link SimSerialExecutor};
 * the scheduler runs one task of one executor at a time, selected by the seed. Virtual time advances only here.
 *
 * <p>Two runs with the same seed execute the same steps. For one thread; coroutines ({@link SimThread}) run while that
 * thread waits.
 */
public final class DeterministicScheduler {
    /** Start of virtual time. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final int LONGEST_STEP_MICROS = 500;

    /** A task that can run whenever its condition holds. */
    public interface SimTaskSource {
        boolean isReady();

        void run();
    }

    private final Random random;
    private final List<SimSerialExecutor> ready = new ArrayList<>();
    private final List<SimTaskSource> sources = new ArrayList<>();
    private final List<SimThread> sleeping = new ArrayList<>();
    private final PriorityQueue<SimTimer> timers = new PriorityQueue<>();
    private final SimClock clock = new SimClock();
    private long nanos;
    private long timerNumbers;
    private long steps;
    private Duration skew = Duration.ZERO;
    private Runnable onCrash = () -> {};
    private long trace = 1469598103934665603L;

    /** A task that is due at a time; tasks of the same time run in the order in which they were set. */
    static final class SimTimer implements Comparable<SimTimer> {
        private final long due;
        private final long number;
        private final SimSerialExecutor executor;
        private final Runnable task;
        private boolean cancelled;

        private SimTimer(long due, long number, SimSerialExecutor executor, Runnable task) {
            this.due = due;
            this.number = number;
            this.executor = executor;
            this.task = task;
        }

        void cancel() {
            cancelled = true;
        }

        boolean isCancelled() {
            return cancelled;
        }

        @Override
        public int compareTo(SimTimer other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(number, other.number);
        }
    }

    public DeterministicScheduler(long seed) {
        this.random = new Random(seed * 0x9E3779B97F4A7C15L + 0x7F4A7C15);
    }

    /** Random numbers for the order of tasks only; every other use needs its own source. */
    Random random() {
        return random;
    }

    /** The machine's clock; may jump. */
    public Clock clock() {
        return clock;
    }

    /** Monotonic virtual time in nanoseconds. */
    public long nanos() {
        return nanos;
    }

    /** Returns the number of steps so far. */
    public long steps() {
        return steps;
    }

    /** Returns a hash of all steps in their order; two runs that differ in any step have different traces. */
    public long trace() {
        return trace;
    }

    /** Sets the machine's clock forward or back. */
    public void setClockBy(Duration jump) {
        skew = skew.plus(jump);
    }

    public void add(SimTaskSource source) {
        sources.add(source);
    }

    /** Sets the callback for a task that crashes its process. */
    void onCrash(Runnable callback) {
        onCrash = callback;
    }

    public void remove(SimTaskSource source) {
        sources.remove(source);
    }

    void markReady(SimSerialExecutor executor) {
        ready.add(executor);
    }

    SimTimer timer(Duration delay, SimSerialExecutor executor, Runnable task) {
        SimTimer timer = new SimTimer(nanos + Math.max(0, delay.toNanos()), timerNumbers++, executor, task);
        timers.add(timer);
        return timer;
    }

    void addSleeping(SimThread thread) {
        sleeping.add(thread);
    }

    void markAwake(SimThread thread) {
        sleeping.remove(thread);
    }

    /**
     * Runs one task, selected by the seed.
     *
     * @return whether a task was ready without waiting
     */
    public boolean step() {
        advance(Duration.ofNanos(random.nextInt(LONGEST_STEP_MICROS) * 1000L));
        List<SimTaskSource> able = sources;
        int from = ready.size();
        int choices = from;
        for (int i = 0; i < able.size(); i++) {
            choices += able.get(i).isReady() ? 1 : 0;
        }
        if (choices == 0) {
            return wakeInterrupted();
        }
        steps++;
        int choice = random.nextInt(choices);
        if (choice < from) {
            SimSerialExecutor executor = ready.get(choice);
            // The order of the remaining executors does not matter: the next one is selected at random.
            ready.set(choice, ready.get(from - 1));
            ready.remove(from - 1);
            addToTrace(executor.name());
            try {
                executor.runOne();
            } catch (SimCrash e) {
                onCrash.run();
            } finally {
                // Clears an interrupt of the finished task: the next task runs on the same thread.
                Thread.interrupted();
            }
        } else {
            runSource(choice - from);
        }
        wakeInterrupted();
        return true;
    }

    private void runSource(int which) {
        int left = which;
        for (SimTaskSource each : List.copyOf(sources)) {
            if (each.isReady() && left-- == 0) {
                addToTrace("source");
                each.run();
                return;
            }
        }
    }

    private void addToTrace(String name) {
        trace = (trace ^ name.hashCode()) * 1099511628211L + nanos;
    }

    /**
     * Wakes threads that the last step interrupted.
     *
     * @return whether there was one
     */
    private boolean wakeInterrupted() {
        boolean woken = false;
        for (int i = 0; i < sleeping.size(); i++) {
            if (sleeping.get(i).wasInterrupted()) {
                sleeping.get(i--).wake();
                woken = true;
            }
        }
        return woken;
    }

    /** Advances virtual time; due timers become ready but do not run yet. */
    public void advance(Duration time) {
        nanos += time.toNanos();
        while (!timers.isEmpty() && timers.peek().due <= nanos) {
            SimTimer timer = timers.poll();
            if (!timer.cancelled) {
                timer.cancelled = true;
                timer.executor.execute(timer.task);
            }
        }
    }

    /**
     * Runs tasks until the condition holds, advancing time when no task is ready.
     *
     * @return whether the condition holds
     */
    public boolean runUntil(BooleanSupplier reached, Duration atMost) {
        long end = nanos + atMost.toNanos();
        while (!reached.getAsBoolean()) {
            if (!step()) {
                while (!timers.isEmpty() && timers.peek().cancelled) {
                    timers.poll();
                }
                if (timers.isEmpty() || timers.peek().due > end) {
                    nanos = Math.max(nanos, end);
                    return reached.getAsBoolean();
                }
                advance(Duration.ofNanos(Math.max(0, timers.peek().due - nanos)));
            }
            if (nanos > end) {
                return reached.getAsBoolean();
            }
        }
        return true;
    }

    /** Runs everything that happens within the given time. */
    public void run(Duration time) {
        runUntil(() -> false, time);
    }

    private final class SimClock extends Clock {
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
            return START.plus(skew).plusNanos(nanos);
        }
    }
}
